/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/trouble.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void trouble_is_same__(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{"h: no route", "h: no route", true},
		{"h: no route", "h: no route to host", false},
		{"h: HTTP 500: Code: 75, file a", "h: HTTP 500: Code: 75, file b", true},
		{"h: HTTP 500: Code: 75, file a", "h: HTTP 500: Code: 76, file a", false},
		{"failed after 9 ms: refused", "failed after 10 ms: refused", true},
		{"failed after 9 ms: refused", "failed after 10 ms: reset", false},
		{"closed with 12 bytes remaining", "closed with 345 bytes remaining", true},
		{"port 1", "port 2", false},
		{"", "a", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(trouble_is_same(rows[i].a, rows[i].b), rows[i].same);
		assert_int_equal(trouble_is_same(rows[i].b, rows[i].a), rows[i].same);
	}
}

static void trouble_note__(void **state)
{
	static const struct {
		int64_t at_s;
		const char *text, *said;
	} rows[] = {
		{0, "", NULL},
		{1, "full, 1", "full, 1"},
		{2, "full, 2", NULL},
		{3, "", "over"},
		{4, "", NULL},
		/* it comes and goes: nothing, until some time has passed */
		{5, "full, 3", NULL},
		{6, "", NULL},
		{300, "full, 4", NULL},
		{301, "full, 5", "full, 5"},
		{900, "full, 6", NULL},
		/* another one is said at once */
		{901, "dead", "dead"},
		{902, "full", "full"},
		{903, "", "over"},
	};
	struct trouble t = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *said =
			trouble_note(&t, rows[i].text, "over", rows[i].at_s * 1000000000);

		if (rows[i].said)
			assert_string_equal(said, rows[i].said);
		else
			assert_null(said);
	}
	trouble_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trouble_is_same__),
		cmocka_unit_test(trouble_note__),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
