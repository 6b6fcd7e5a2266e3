/* SPDX-License-Identifier: GPL-2.0-or-later */
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

/* However late each one is, the sum is right. */
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

#define TEST(name) cmocka_unit_test(ticks__##name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(that_come_a_little_late),
		TEST(missed),
		TEST(very_late),
		TEST(without_a_clock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
