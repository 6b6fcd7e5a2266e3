/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on what may hold anything, each in a process of its own: it has no rights beyond those of a
 * common user (in a container that knows no other users than root: no capabilities), ends in time,
 * and takes nothing with it when it crashes.
 */
#ifndef LIB_WORKER_H
#define LIB_WORKER_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum worker_end {
	WORKER_NONE, /* could not be started */
	WORKER_DONE,
	WORKER_CRASHED,
	WORKER_LATE, /* was ended when its time was over */
};

struct worker {
	/* the first and the last may be NULL */
	void (*prepare)(void *arg); /* before it is started: opens what needs our rights */
	void (*work)(void *arg, struct strbuf *output); /* in the process */
	void (*finish)(void *arg, bool done);           /* when it has ended */
	void *arg;
	struct strbuf output; /* what it said, the caller's; checked by nobody */
	enum worker_end end;
	/* while it runs */
	pid_t pid;
	int from;
	long long until_ns;
};

/* Runs them all, as many at a time as there are processors, each for SECONDS at most. */
void workers_run(struct worker *list, size_t nr, unsigned seconds);

#endif
