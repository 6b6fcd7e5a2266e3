/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs work on untrusted data in child processes: without privileges (in a container with no user
 * but root: without capabilities), with limits of time and memory; a crash affects only that
 * process.
 */
#ifndef LIB_WORKER_H
#define LIB_WORKER_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum worker_end {
	WORKER_NONE, /* not started */
	WORKER_DONE,
	WORKER_CRASHED,
	WORKER_LATE, /* killed by the timeout */
};

struct worker {
	/* prepare and finish may be NULL */
	void (*prepare)(void *arg); /* before fork: opens files with our privileges */
	void (*work)(void *arg, struct strbuf *output); /* in the child */
	void (*finish)(void *arg, bool done);           /* after it ended */
	void *arg;
	struct strbuf output; /* the caller releases it; untrusted */
	enum worker_end end;
	/* while it runs */
	pid_t pid;
	int from;
	long long until_ns;
};

/* Runs all NR, as many at a time as there are processors, each for at most SECONDS. */
void workers_run(struct worker *list, size_t nr, unsigned seconds);

#endif
