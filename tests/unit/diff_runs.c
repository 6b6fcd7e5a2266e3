/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test over runs, and inlined functions that one side lacks. */
#include "lib/strbuf.h"
#include "view/diff/diff_inlines.h"
#include "view/diff/diff_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool rose(uint64_t nr_before, uint64_t nr_after, const uint64_t *values)
{
	struct diff_pair nr = {nr_before, nr_after};

	return diff_runs_rose(values, nr, diff_runs_least(nr));
}

static void test_few_runs(void **state)
{
	(void)state;
	assert_true(rose(1, 1, (uint64_t[]){1, 2}));
	assert_false(rose(1, 1, (uint64_t[]){2, 2}));
	assert_true(rose(2, 1, (uint64_t[]){1, 3, 4}));
	assert_false(rose(2, 1, (uint64_t[]){1, 4, 3}));
	assert_true(rose(3, 3, (uint64_t[]){3, 1, 2, 6, 4, 5}));
	assert_false(rose(3, 3, (uint64_t[]){3, 1, 2, 6, 3, 5}));
}

/* At most one in 20 orders of the values rises, and nearly as many do. */
static void test_orders(void **state)
{
	enum { BEFORE = 5, ALL = 10 };
	unsigned nr = 0, nr_rose = 0;

	(void)state;
	for (unsigned set = 0; set < 1 << ALL; set++) {
		uint64_t values[ALL];
		size_t before = 0, after = BEFORE;

		if (__builtin_popcount(set) != BEFORE)
			continue;
		for (unsigned i = 0; i < ALL; i++)
			values[set >> i & 1 ? before++ : after++] = i;
		nr++;
		nr_rose += rose(BEFORE, ALL - BEFORE, values);
	}
	assert_int_equal(nr, 252);
	assert_int_equal(nr_rose, 12); /* 12 of 252 are 4.8 %, the next 19 are 7.5 % */
}

/* The largest exact number of pairs, and the next one, which is approximated. */
static void test_least(void **state)
{
	(void)state;
	assert_int_equal(diff_runs_least((struct diff_pair){20, 20}), 262);
	assert_int_equal(diff_runs_least((struct diff_pair){20, 21}), 274);
	assert_int_equal(diff_runs_least((struct diff_pair){3, 3}), 9);
	assert_int_equal(diff_runs_least((struct diff_pair){1, 1}), 1);
}

static void test_many_runs(void **state)
{
	enum { SIDE = 30 };
	uint64_t values[2 * SIDE];

	(void)state;
	for (size_t i = 0; i < SIDE; i++) {
		values[i] = 2 * i;
		values[SIDE + i] = 2 * i + 1;
	}
	assert_false(rose(SIDE, SIDE, values));
	for (size_t i = 0; i < SIDE; i++)
		values[SIDE + i] += SIDE;
	assert_true(rose(SIDE, SIDE, values));
}

static void add(struct profile *p, bool inlined, const char *module)
{
	uint32_t stack[2] = {profile_frame(p, FRAME_USER, "main", 4, module, strlen(module))};

	if (inlined)
		stack[1] = profile_frame(p, FRAME_INLINE, "mix", 3, module, strlen(module));
	profile_add(p, stack, inlined ? 2 : 1, 10);
}

static void test_inlines(void **state)
{
	struct profile before, after, *list[] = {&before, &after};
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	profile_init(&before);
	profile_init(&after);
	add(&before, true, "even");
	add(&after, true, "even");
	add(&before, false, "uneven");
	add(&after, true, "uneven");
	add(&after, true, "new");
	profile_finish(&before);
	profile_finish(&after);
	diff_even_inlines(list, 2, 1, &notes);
	assert_string_equal(notes.buf, "inlined functions of 'uneven' are known after only: they "
				       "count as part of their callers; if the file was replaced, "
				       "record with --inlines\n");
	assert_int_equal(before.nr_nodes, 4);
	assert_int_equal(after.nr_nodes, 6); /* the root, two of two modules, one of the other */
	assert_int_equal(after.nodes[0].total, 30);
	strbuf_release(&notes);
	profile_release(&before);
	profile_release(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_runs),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_inlines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
