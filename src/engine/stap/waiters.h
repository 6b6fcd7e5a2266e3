/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that were waiting when the recording began. No probe saw their stacks, but while they
 * wait, /proc has the kernel stack.
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
		char *stack;            /* text of /proc/TID/stack, or NULL if it is not readable */
	} * list;
	size_t nr, alloc;
};

/* Adds TID and reads its kernel stack. */
void waiters_add(struct waiters *ws, uint32_t tid);

/* Reads all kernel stacks again. */
void waiters_update(struct waiters *ws);

/*
 * Returns the kernel stack of TID if it was read between FROM_NS and TO_NS, else NULL. It is valid
 * until the next update.
 */
const char *waiters_stack(const struct waiters *ws, uint32_t tid, int64_t from_ns, int64_t to_ns);

struct waiter_frame {
	char name[256], module[64]; /* "[nf_tables]", "[kernel]" */
	uint64_t offset;
};

/* Parses the next frame, leaf first, and advances *TEXT. Returns false if there are no more. */
bool waiters_frame(const char **text, struct waiter_frame *frame);

void waiters_release(struct waiters *ws);

#endif
