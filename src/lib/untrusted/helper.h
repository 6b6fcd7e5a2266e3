/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process with our privileges that accesses what others may block for ever: a file system
 * (FUSE, NFS), or memory (userfaultfd). It is started when it is first needed, and killed and
 * replaced when it does not answer in time.
 */
#ifndef LIB_UNTRUSTED_HELPER_H
#define LIB_UNTRUSTED_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct helper_area;

struct helper {
	size_t room; /* bytes that are shared with the helper */
	int max_ms;  /* limit for a request, unless the helper waits for a processor */
	int busy_ms; /* limit if it does */
	pid_t owner; /* process that made it; the children of this process must not use it */
	pid_t pid;
	int socket; /* or -1 if there is no helper */
	struct helper_area *area;
	uint32_t number; /* number of the last request */
};

#define HELPER_INIT(size, answer, busy)                                                            \
	{                                                                                          \
		.room = (size), .max_ms = (answer), .busy_ms = (busy), .socket = -1                \
	}

/*
 * Returns the memory that is shared with the helper, or NULL if there is none. It is for the
 * arguments and the results of the next helper_run(). It is gone if helper_run() fails.
 */
void *helper_room(struct helper *h);

/*
 * Work of the helper. ROOM is the memory of helper_room(), FD is the file that was passed, or -1.
 * Returns an open file to pass back, or -1. The work must not write, and not change the state of
 * this program.
 */
typedef int helper_work(void *room, int fd);

enum helper_end { HELPER_DONE, HELPER_LATE, HELPER_FAILED /* it did not start, or has ended */ };

/*
 * Has WORK done. *FD is passed to the helper and stays the caller's. It is replaced by the file
 * that comes back, or by -1. FD may be NULL.
 */
enum helper_end helper_run(struct helper *h, helper_work *work, int *fd);

/* Return how long the last work waited, unless it only waited for a processor, and its CPU time. */
int64_t helper_waited_ns(const struct helper *h);
int64_t helper_used_ns(const struct helper *h);

/* Returns true in the helper itself. */
bool helper_is_self(void);

void helper_end(struct helper *h);

#endif
