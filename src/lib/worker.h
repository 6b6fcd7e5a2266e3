/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs work on untrusted data in child processes. They are confined, see lib/untrusted/sandbox.h,
 * and have limits of time and memory. A crash affects only one process.
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
	 * Called before fork. Returns false if there is nothing untrusted to read; the work is then
	 * done in this process.
	 */
	bool (*prepare)(void *arg);
	/* called in the child before it is confined: opens files with our privileges */
	void (*open)(void *arg);
	void (*work)(void *arg, struct strbuf *output); /* called in the child */
	void (*finish)(struct worker *w); /* called after it ended; may take the output */
	void *arg;
	bool no_files;        /* work opens no files */
	size_t answer_max;    /* bytes of output, or 0 for 64 MiB */
	struct strbuf output; /* untrusted; the caller releases it */
	enum worker_end end;
	bool stalled; /* with WORKER_LATE: it waited for a file that does not answer */
	/* valid while it runs */
	pid_t pid;
	int from;
	int64_t until_ns, worked_ns, cpu_ns;
};

/* Returns, for messages, why a worker that ended in this way has no output, or no valid output. */
const char *worker_failure(enum worker_end end);

/*
 * Runs all NR workers, as many at a time as there are processors, each for at most SECONDS, or
 * until it stalls.
 */
void workers_run(struct worker *list, size_t nr, unsigned seconds);

/*
 * Works like workers_run(), but all workers only until UNTIL_NS (monotonic_ns()). Workers that have
 * not been started by then end as WORKER_LATE, and are neither prepared nor finished.
 */
void workers_run_until(struct worker *list, size_t nr, unsigned seconds, int64_t until_ns);

#endif
