/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/profile.h"

#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static uint32_t frame(struct profile *p, const char *name, const char *module)
{
	return profile_frame(
		p, FRAME_USER, name, strlen(name), module, module ? strlen(module) : 0);
}

static void add(struct profile *p, const char *stack, uint64_t weight)
{
	uint32_t frames[16];
	size_t n = 0;

	for (; *stack; stack++, n++)
		frames[n] = profile_frame(p, FRAME_USER, stack, 1, NULL, 0);
	profile_add(p, frames, n, weight);
}

static void test_frames_are_told_apart(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	uint32_t a = frame(&p, "f", "x");

	assert_int_equal(frame(&p, "f", "x"), a);
	assert_int_not_equal(frame(&p, "f", "y"), a);
	assert_int_not_equal(frame(&p, "f", NULL), a);
	assert_int_not_equal(profile_frame(&p, FRAME_KERNEL, "f", 1, "x", 1), a);
	assert_string_equal(profile_module(&p, a), "x");
	profile_release(&p);
}

static void test_totals(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	add(&p, "abc", 1);
	add(&p, "abd", 2);
	add(&p, "ab", 4);
	add(&p, "abc", 8);
	add(&p, "z", 16);
	profile_finish(&p);
	assert_int_equal(p.nr_nodes, 6);
	assert_int_equal(p.nodes[0].total, 31);
	assert_int_equal(p.nodes[p.nodes[0].child].total, 15);
	assert_int_equal(p.nodes[p.nodes[p.nodes[0].child].next].self, 16);
	profile_release(&p);
}

static void test_children_are_in_order(void **state)
{
	struct profile p;
	uint32_t last = 0;

	(void)state;
	profile_init(&p);
	for (int i = 0; i < 3000; i++) {
		char name[16];
		uint32_t f;

		snprintf(name, sizeof(name), "%d", i * 7919 % 3000);
		f = frame(&p, name, NULL);
		profile_add(&p, &f, 1, 1);
		profile_add(&p, &f, 1, 1);
	}
	profile_finish(&p);
	assert_int_equal(p.nr_nodes, 3001);
	for (uint32_t c = p.nodes[0].child; c; c = p.nodes[c].next) {
		assert_int_equal(p.nodes[c].self, 2);
		if (last)
			assert_true(strcmp(profile_name(&p, p.nodes[last].frame, NULL),
					    profile_name(&p, p.nodes[c].frame, NULL)) < 0);
		last = c;
	}
	assert_int_equal(p.nodes[0].total, 6000);
	profile_release(&p);
}

static void test_sums_stop(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	add(&p, "a", UINT64_MAX - 1);
	add(&p, "a", 5);
	add(&p, "b", 5);
	profile_finish(&p);
	assert_true(p.nodes[0].total == UINT64_MAX);
	profile_release(&p);
}

static void test_deep(void **state)
{
	enum { DEPTH = 200000 };
	uint32_t *frames = calloc(DEPTH, sizeof(*frames));
	struct profile p;

	(void)state;
	assert_non_null(frames);
	profile_init(&p);
	for (size_t i = 0; i < DEPTH; i++)
		frames[i] = frame(&p, i % 2 ? "a" : "b", NULL);
	profile_add(&p, frames, DEPTH, 3);
	profile_finish(&p);
	assert_int_equal(p.nodes[0].total, 3);
	assert_int_equal(p.nr_nodes, DEPTH + 1);
	profile_release(&p);
	free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_are_told_apart),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_children_are_in_order),
		cmocka_unit_test(test_sums_stop),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
