/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bpf/counters.h"
#include "engine/bpf/kern/ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { PERIOD = 1000 };

static void ticks__that_come_a_little_late(void **state)
{
	static const int late[] = {10, 0, 400, 30, 0, 499, 5};
	uint64_t due_at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(late) / sizeof(*late); i++)
		assert_int_equal(
			ticks_missed(&due_at, 77 + i * PERIOD + (uint64_t)late[i], PERIOD), 0);
}

static void ticks__missed(void **state)
{
	uint64_t due_at = 0;

	(void)state;
	assert_int_equal(ticks_missed(&due_at, 5 * PERIOD, PERIOD), 0);
	assert_int_equal(ticks_missed(&due_at, 6 * PERIOD, PERIOD), 0);
	assert_int_equal(ticks_missed(&due_at, 10 * PERIOD + 5, PERIOD), 3);
	assert_int_equal(ticks_missed(&due_at, 11 * PERIOD, PERIOD), 0);
	assert_int_equal(ticks_missed(&due_at, 100011 * PERIOD, PERIOD), 99999);
}

/* The sum is right, however late each tick is. */
static void ticks__very_late(void **state)
{
	uint64_t due_at = 0;
	int64_t missed = 0;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		missed += ticks_missed(&due_at, i * PERIOD + i * 7919 % PERIOD, PERIOD);
	assert_in_range(missed + 2, 0, 4);
	missed += ticks_missed(&due_at, 1011 * PERIOD, PERIOD);
	assert_in_range(missed, 9, 11);
}

static void ticks__without_a_clock(void **state)
{
	uint64_t due_at = 0;

	(void)state;
	assert_int_equal(ticks_missed(&due_at, 5, 0), 0);
	assert_int_equal(ticks_missed(&due_at, 5000000, 0), 0);
}

/* A processor without a clock missed as many ticks as its other ticks predict. */
static void counters__missed(void **state)
{
	static const struct {
		uint64_t ticks, hits, gap, period, missed;
	} cases[] = {
		{1000, 1000, 300 * PERIOD, PERIOD, 300},
		{1000, 250, 300 * PERIOD, PERIOD, 75},
		{1000, 0, 300 * PERIOD, PERIOD, 0},
		{3, 2, PERIOD + PERIOD / 2, PERIOD, 1},
		{1000, 1000, PERIOD - 1, PERIOD, 0},
		{0, 0, 300 * PERIOD, PERIOD, 0},
		{1000, 1000, 300 * PERIOD, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(counters_missed(&(struct counters){.ticks = cases[i].ticks,
							 .hits = cases[i].hits},
					 cases[i].gap, cases[i].period),
			cases[i].missed);
}

#define TEST(name) cmocka_unit_test(ticks__##name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(that_come_a_little_late),
		TEST(missed),
		TEST(very_late),
		TEST(without_a_clock),
		cmocka_unit_test(counters__missed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
