/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_queue.h"

/*
 * Larger batches are sorted better, smaller batches leave less to do when the reader has ended.
 * Batches grow from 256 KiB, from which small inputs gain as well, to 8 MiB.
 */
enum { WORDS_FIRST = 1 << 16, WORDS_MAX = 1 << 21 };

void stack_queue_begin(struct stack_queue *q, struct profile *p)
{
	*q = (struct stack_queue){.p = p, .words_max = WORDS_FIRST};
}

static void *add_batch(void *arg)
{
	struct stack_queue *q = arg;

	stack_batch_flush(&q->adding, q->p);
	return NULL;
}

static void wait_for_thread(struct stack_queue *q)
{
	if (q->runs)
		pthread_join(q->thread, NULL);
	q->runs = false;
}

static void hand_over(struct stack_queue *q)
{
	struct stack_batch empty;

	wait_for_thread(q);
	empty = q->adding;
	q->adding = q->filling;
	q->filling = empty;
	q->runs = !pthread_create(&q->thread, NULL, add_batch, q);
	if (!q->runs)
		add_batch(q);
	if (q->words_max < WORDS_MAX)
		q->words_max *= 2;
}

uint32_t *stack_queue_add(struct stack_queue *q, size_t n, uint64_t weight)
{
	if (q->filling.nr_words >= q->words_max)
		hand_over(q);
	return stack_batch_add(&q->filling, n, weight);
}

void stack_queue_end(struct stack_queue *q)
{
	wait_for_thread(q);
	stack_batch_flush(&q->filling, q->p);
	stack_batch_release(&q->filling);
	stack_batch_release(&q->adding);
}
