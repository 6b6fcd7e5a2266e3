/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that waited when a recording began: no probe saw where, but as long as they wait the
 * kernel tells its side.
 */
#ifndef ENGINE_STAP_WAITERS_H
#define ENGINE_STAP_WAITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waiters {
	struct waiter {
		uint32_t tid;
		int64_t from_ns, to_ns; /* monotonic times between which the stack was read */
		char *stack;            /* text of /proc/TID/stack, NULL: not to be had */
	} * list;
	size_t nr, alloc;
};

/* Reads the kernel stack of TID now. */
void waiters_add(struct waiters *ws, uint32_t tid);

/* Reads those of all that are known again. */
void waiters_look(struct waiters *ws);

/*
 * The kernel stack of TID, if it was read between FROM and TO; else NULL. Valid until the next
 * look.
 */
const char *waiters_stack(const struct waiters *ws, uint32_t tid, int64_t from_ns, int64_t to_ns);

/* Takes the next frame, leaf first, from *TEXT. False when there is none. */
struct waiter_frame {
	char name[256], module[64]; /* "[nf_tables]", "[kernel]" */
	uint64_t offset;
};
bool waiters_frame(const char **text, struct waiter_frame *frame);

void waiters_release(struct waiters *ws);

#endif
