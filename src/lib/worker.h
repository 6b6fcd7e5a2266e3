/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs work on untrusted data in child processes: confined, see lib/untrusted/sandbox.h, and with
 * limits of time and memory; a crash affects only that process.
 */
#ifndef LIB_WORKER_H
#define LIB_WORKER_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum worker_end {
	WORKER_NONE, /* not started */
	WORKER_DONE,
	WORKER_CRASHED,
	WORKER_LATE,      /* killed by the timeout */
	WORKER_SIGNALLED, /* stopped or killed by another process, see lib/untrusted/child.h */
};

struct worker {
	/* prepare, open and finish may be NULL */
	/*
	 * Before fork. False: there is nothing to read that is untrusted; then the work is done
	 * here, without a process.
	 */
	bool (*prepare)(void *arg);
	/* in the child, before it is confined: opens files with our privileges */
	void (*open)(void *arg);
	void (*work)(void *arg, struct strbuf *output); /* in the child */
	void (*finish)(struct worker *w); /* after it ended; may take and release the output */
	void *arg;
	bool no_files;        /* work opens none */
	struct strbuf output; /* the caller releases it; untrusted */
	enum worker_end end;
	bool stalled; /* WORKER_LATE: it waited for a file that does not answer */
	/* while it runs */
	pid_t pid;
	int from;
	int64_t until_ns, worked_ns, cpu_ns;
};

/* For messages: why a worker that ended so has no output, or none that is valid. */
const char *worker_failure(enum worker_end end);

/*
 * Runs all NR, as many at a time as there are processors, each for at most SECONDS, or until it
 * stalls.
 */
void workers_run(struct worker *list, size_t nr, unsigned seconds);

/*
 * The same, all of them until UNTIL_NS (monotonic_ns): those that were not even started then end
 * as WORKER_LATE, neither prepared nor finished.
 */
void workers_run_until(struct worker *list, size_t nr, unsigned seconds, int64_t until_ns);

#endif
