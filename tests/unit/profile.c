/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile.h"

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

static void test_sources_tell_apart(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	uint32_t a = frame(&p, "f", "x");
	struct frame f = p.frames[a];

	assert_int_equal(profile_add_frame(&p, &f), a);
	f.source = strpool_adds(&p.names, "f.c:1");
	uint32_t b = profile_add_frame(&p, &f);

	assert_int_not_equal(b, a);
	f.source = strpool_adds(&p.names, "f.c:2");
	assert_int_not_equal(profile_add_frame(&p, &f), b);
	assert_int_equal(frame(&p, "f", "x"), a);
	profile_release(&p);
}

/* Renames each frame to its upper-case letter, or all frames to TO. */
static void rename_all(struct profile *p, const char *to)
{
	uint32_t names[64] = {0};

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		char upper = (char)(*profile_name(p, i, NULL) - 'a' + 'A');

		names[i] = to ? strpool_adds(&p->names, to) : strpool_add(&p->names, &upper, 1);
	}
	profile_rename(p, names);
}

static void test_rename(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	add(&p, "abc", 1);
	add(&p, "abd", 2);
	rename_all(&p, NULL);
	assert_int_equal(p.nr_frames, 5);
	assert_int_equal(p.nr_nodes, 5);
	add(&p, "ABD", 4); /* stacks that are added later get the new names */
	assert_int_equal(p.nr_nodes, 5);
	profile_finish(&p);
	assert_int_equal(p.nodes[0].total, 7);
	assert_string_equal(profile_name(&p, p.nodes[4].frame, NULL), "D");
	assert_int_equal(p.nodes[4].self, 6);
	profile_release(&p);
}

/* Stacks that become equal are added up; stacks of other kinds stay. */
static void test_rename_merges(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	add(&p, "abc", 1);
	add(&p, "bca", 2);
	add(&p, "cb", 4);
	add(&p, "", 8);
	uint32_t kernel = profile_frame(&p, FRAME_KERNEL, "k", 1, NULL, 0);

	profile_add(&p, &kernel, 1, 16);
	rename_all(&p, "same");
	assert_int_equal(p.nr_frames, 3);
	assert_int_equal(p.nr_nodes, 5);
	profile_finish(&p);
	assert_int_equal(p.nodes[0].total, 31);
	assert_int_equal(p.nodes[0].self, 8);
	uint32_t user = p.nodes[0].child, below = p.nodes[user].child;

	assert_int_equal(p.nodes[user].total, 7);
	assert_int_equal(p.nodes[below].self, 4);
	assert_int_equal(p.nodes[p.nodes[below].child].self, 3);
	assert_int_equal(p.frames[p.nodes[p.nodes[user].next].frame].kind, FRAME_KERNEL);
	assert_int_equal(p.nodes[p.nodes[user].next].self, 16);
	profile_release(&p);
}

/* More siblings than are searched one by one; every two of them become one. */
static void test_rename_merges_many(void **state)
{
	enum { MANY = 5000 };
	struct profile p;
	uint32_t *names = calloc(MANY + 1, sizeof(*names));
	char name[16];

	(void)state;
	profile_init(&p);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		uint32_t id = frame(&p, name, NULL);

		profile_add(&p, &id, 1, 1);
	}
	for (uint32_t i = 1; i <= MANY; i++) {
		snprintf(name, sizeof(name), "%u", i / 2);
		names[i] = strpool_adds(&p.names, name);
	}
	profile_rename(&p, names);
	profile_finish(&p);
	assert_int_equal(p.nr_frames, MANY / 2 + 2);
	assert_int_equal(p.nr_nodes, MANY / 2 + 2);
	assert_int_equal(p.nodes[0].total, MANY);
	profile_release(&p);
	free(names);
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
		cmocka_unit_test(test_sources_tell_apart),
		cmocka_unit_test(test_rename),
		cmocka_unit_test(test_rename_merges),
		cmocka_unit_test(test_rename_merges_many),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_children_are_in_order),
		cmocka_unit_test(test_sums_stop),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
