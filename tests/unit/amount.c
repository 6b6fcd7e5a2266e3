/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/amount.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The unit of times and bytes is chosen by their size; digits that the profile does not have are
 * not shown. */
static void amount__units(void **state)
{
	static const struct {
		uint64_t weight;
		const char *unit, *want;
	} cases[] = {
		{0, "us", "0 us"},
		{830, "us", "830 us"},
		{1302, "us", "1.302 ms"},
		{12345, "us", "12.35 ms"},
		{999940, "us", "999.9 ms"},
		{5302123, "us", "5.302 s"},
		{123456789, "us", "123.5 s"},
		{3600000000, "us", "3,600 s"},
		{UINT64_MAX, "us", "18,446,744,073,710 s"},
		{UINT64_MAX, "s", "18,446,744,073,709,551,615 s"},
		{17, "ns", "17 ns"},
		{1500, "nanoseconds", "1.500 us"},
		{1500, "milliseconds", "1.500 s"},
		{15, "ms", "15 ms"},
		{15000, "s", "15,000 s"},
		{1234567, "samples", "1,234,567 samples"},
		{812, "bytes", "812 B"},
		{4096, "bytes", "4.000 KiB"},
		{35742671, "bytes", "34.09 MiB"},
		{1023 << 20, "B", "1,023 MiB"},
		{3, "MiB", "3 MiB"},
		{UINT64_MAX, "bytes", "16,777,216 TiB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = STRBUF_INIT;

		amount_add_unit(&text, cases[i].weight, cases[i].unit);
		assert_string_equal(text.buf, cases[i].want);
		strbuf_release(&text);
	}
}

static void amount__hides_digits(void **state)
{
	(void)state;
	assert_false(amount_hides_digits(1023, "bytes"));
	assert_true(amount_hides_digits(1024, "bytes"));
	assert_false(amount_hides_digits(1023, "KiB"));
	assert_true(amount_hides_digits(1024, "KiB"));
	assert_false(amount_hides_digits(1e9, "TiB"));
	assert_false(amount_hides_digits(1e9, "ns"));
	assert_false(amount_hides_digits(1e9, "samples"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amount__units), cmocka_unit_test(amount__hides_digits)};

	return cmocka_run_group_tests_name("amount", tests, NULL, NULL);
}
