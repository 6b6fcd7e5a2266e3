/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times at which rounds of a fixed interval are due. */
#include "lib/repeat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void repeat_next__in_time(void **state)
{
	struct repeat r = {.step_ns = 100, .length_ns = 250};

	(void)state;
	assert_int_equal(repeat_next(&r, 0), 100);
	assert_int_equal(repeat_next(&r, 100), 100);
	r.at_ns = 100;
	assert_int_equal(repeat_next(&r, 130), 200);
	r.at_ns = 200;
	assert_int_equal(repeat_next(&r, 230), -1);
	r.length_ns = 300;
	assert_int_equal(repeat_next(&r, 230), 300);
	r.length_ns = 0;
	assert_int_equal(repeat_next(&r, 230), 300);
}

static void repeat_next__leaves_out_what_was_due_meanwhile(void **state)
{
	struct repeat r = {.step_ns = 100, .length_ns = 1000};

	(void)state;
	assert_int_equal(repeat_next(&r, 101), 200);
	assert_int_equal(repeat_next(&r, 200), 200);
	assert_int_equal(repeat_next(&r, 749), 800);
	assert_int_equal(repeat_next(&r, 1000), 1000);
	assert_int_equal(repeat_next(&r, 1001), -1);
}

static void repeat_next__once(void **state)
{
	struct repeat r = {.step_ns = 0};

	(void)state;
	assert_int_equal(repeat_next(&r, 0), -1);
	assert_int_equal(repeat_next(&r, 77), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeat_next__in_time),
		cmocka_unit_test(repeat_next__leaves_out_what_was_due_meanwhile),
		cmocka_unit_test(repeat_next__once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
