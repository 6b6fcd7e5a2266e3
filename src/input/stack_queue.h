/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds stacks to a profile in batches. A thread sorts and adds one batch while the reader fills the
 * next one. The tree is the same as with profile_add.
 */
#ifndef INPUT_STACK_QUEUE_H
#define INPUT_STACK_QUEUE_H

#include "model/profile.h"
#include "stack_batch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_queue {
	struct profile *p;
	struct stack_batch filling, adding; /* adding belongs to the thread while it runs */
	size_t words_max;                   /* a batch of this many words is given to the thread */
	pthread_t thread;
	bool runs;
};

/* P outlives Q. Until stack_queue_end, Q owns the nodes of P; the caller may use the rest of P. */
void stack_queue_begin(struct stack_queue *q, struct profile *p);

/*
 * Returns room for the N frames of another stack, root first. The caller fills it in before the
 * next call.
 */
uint32_t *stack_queue_add(struct stack_queue *q, size_t n, uint64_t weight);

void stack_queue_end(struct stack_queue *q); /* adds the remaining stacks; releases Q */

#endif
