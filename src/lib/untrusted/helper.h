/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process with our privileges that does what others may block for ever: a file system
 * (FUSE, NFS), or memory (userfaultfd). It is made when it is first needed, and killed and replaced
 * when it does not answer in time.
 */
#ifndef LIB_UNTRUSTED_HELPER_H
#define LIB_UNTRUSTED_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct helper_area;

struct helper {
	size_t room; /* bytes that are shared with it */
	int max_ms;  /* for one request, unless it waits for a processor */
	int busy_ms; /* the same, if it does */
	pid_t owner; /* who made it: a child of that must not use it */
	pid_t pid;
	int socket; /* -1: there is none */
	struct helper_area *area;
	uint32_t number; /* of the last request */
};

#define HELPER_INIT(size, answer, busy)                                                            \
	{                                                                                          \
		.room = (size), .max_ms = (answer), .busy_ms = (busy), .socket = -1                \
	}

/*
 * Memory shared with the helper: the arguments and the results of the next helper_run. It is gone
 * after a helper_run that failed. NULL: there is none.
 */
void *helper_room(struct helper *h);

/*
 * Work of the helper: ROOM is what helper_room gave, FD what was passed or -1. Returns an open file
 * to pass back, or -1. It must not write, and not change the state of this program.
 */
typedef int helper_work(void *room, int fd);

enum helper_end { HELPER_DONE, HELPER_LATE, HELPER_FAILED /* there is none, or no longer */ };

/*
 * Has WORK done. *FD is passed, stays the caller's, and is replaced by the file that comes back, or
 * -1; FD may be NULL.
 */
enum helper_end helper_run(struct helper *h, helper_work *work, int *fd);

/* What the last work took: waiting, but not only for a processor, and CPU time. */
int64_t helper_waited_ns(const struct helper *h);
int64_t helper_used_ns(const struct helper *h);

/* True in the helper itself. */
bool helper_is_self(void);

void helper_end(struct helper *h);

#endif
