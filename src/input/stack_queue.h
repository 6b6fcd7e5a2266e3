/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds stacks to a profile in batches: one is sorted and added by a thread while the reader fills
 * the next one. The tree is the same as that of profile_add.
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
	struct stack_batch filling, adding; /* adding is the thread's while it runs */
	size_t words_max;                   /* a batch of so many words is given to the thread */
	pthread_t thread;
	bool runs;
};

/* P outlives Q. Until stack_queue_end its nodes are Q's; the caller may use all else of it. */
void stack_queue_begin(struct stack_queue *q, struct profile *p);

/* Room for the N frames of one more stack, root first, to be filled in before the next call. */
uint32_t *stack_queue_add(struct stack_queue *q, size_t n, uint64_t weight);

void stack_queue_end(struct stack_queue *q); /* adds what is left; releases Q */

#endif
