/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/stack_queue.h"
#include "lib/util.h"
#include "view/preorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { FRAMES = 40 };

/* The same tree twice: with stacks added sorted, and one by one. */
struct trees {
	struct profile sorted, plain;
	struct stack_queue queue;
};

static void begin(struct trees *t)
{
	profile_init(&t->sorted);
	profile_init(&t->plain);
	for (char name = '0'; name < '0' + FRAMES; name++) {
		profile_frame(&t->sorted, FRAME_USER, &name, 1, NULL, 0);
		profile_frame(&t->plain, FRAME_USER, &name, 1, NULL, 0);
	}
	stack_queue_begin(&t->queue, &t->sorted);
}

static void add(struct trees *t, const uint32_t *frames, size_t n, uint64_t weight)
{
	memcpy(stack_queue_add(&t->queue, n, weight), frames, n * sizeof(*frames));
	profile_add(&t->plain, frames, n, weight);
}

static void assert_same(struct trees *t)
{
	stack_queue_end(&t->queue);
	profile_finish(&t->sorted);
	profile_finish(&t->plain);
	assert_int_equal(t->sorted.nr_nodes, t->plain.nr_nodes);

	struct preorder a = preorder_begin(&t->sorted), b = preorder_begin(&t->plain);
	bool more;

	do {
		const struct profile_node *x = &t->sorted.nodes[a.node],
					  *y = &t->plain.nodes[b.node];

		assert_int_equal(a.depth, b.depth);
		assert_int_equal(x->frame, y->frame);
		assert_int_equal(x->self, y->self);
		assert_int_equal(x->total, y->total);
		more = preorder_next(&a);
		assert_int_equal(preorder_next(&b), more);
	} while (more);
	profile_release(&t->sorted);
	profile_release(&t->plain);
}

/* Adds stacks with at most MOST frames, of a few different ones, so that they share beginnings. */
static void add_random(struct trees *t, size_t nr, size_t most, uint32_t different)
{
	uint32_t frames[64];
	uint64_t random = 1;

	for (size_t i = 0; i < nr; i++) {
		random = hash_u64(random + i);
		size_t n = random % (most + 1);

		for (size_t k = 0; k < n; k++)
			frames[k] = 1 + (uint32_t)(hash_u64(random ^ k) % different);
		add(t, frames, n, 1 + random % 7);
	}
}

static void no_stacks(void **state)
{
	struct trees t;

	(void)state;
	begin(&t);
	assert_same(&t);
}

static void stacks_of_all_lengths(void **state)
{
	struct trees t;

	(void)state;
	begin(&t);
	add_random(&t, 5, 3, 2);
	add_random(&t, 20000, 9, 3);
	add_random(&t, 20000, 40, FRAMES);
	add_random(&t, 20000, 1, FRAMES);
	assert_same(&t);
}

static void equal_stacks(void **state)
{
	static const uint32_t frames[] = {3, 1, 2, 3};
	struct trees t;

	(void)state;
	begin(&t);
	for (size_t i = 0; i < 1000; i++)
		add(&t, frames, i % (ARRAY_LEN(frames) + 1), UINT64_MAX / 300);
	assert_same(&t);
}

static void more_than_memory_is_used_for(void **state)
{
	static uint32_t frames[5000];
	struct trees t;

	(void)state;
	begin(&t);
	for (uint32_t k = 0; k < ARRAY_LEN(frames); k++)
		frames[k] = 1 + k % FRAMES;
	for (uint32_t i = 0; i < 8000; i++) {
		frames[4000 + i % 900] = 1 + i % FRAMES;
		add(&t, frames, 3000 + i % 7 * 300, i);
		assert_true(t.queue.filling.words_alloc <= 1 << 24);
	}
	assert_true(t.queue.adding.words_alloc > 0); /* some were handed over */
	assert_same(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_stacks),
		cmocka_unit_test(stacks_of_all_lengths),
		cmocka_unit_test(equal_stacks),
		cmocka_unit_test(more_than_memory_is_used_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
