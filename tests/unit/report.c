/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/csv.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/report/entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void check_csv(const char *s, size_t len, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	csv_field(&sb, s, len);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void test_csv(void **state)
{
	(void)state;
	check_csv("", 0, "");
	check_csv("a b", 3, "a b");
	check_csv("f(a, b)", 7, "\"f(a, b)\"");
	check_csv("\"", 1, "\"\"\"\"");
	check_csv("=1+1", 4, "'=1+1");
	check_csv("-1,5", 4, "\"'-1,5\"");
	check_csv("\xef\xbc\x9dx", 4, "'\xef\xbc\x9dx");
	check_csv("a\nb", 3, "\"a\nb\"");
}

static void test_json(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	json_string(&sb, "a\"\\\n\xc3\xa9\xff\xc0\x80\xf4\x90\x80\x80", 13);
	assert_string_equal(sb.buf,
		"\"a\\\"\\\\\\u000a\xc3\xa9\\\\xff\\\\xc0\\\\x80\\\\xf4\\\\x90\\\\x80\\\\x80\"");
	strbuf_release(&sb);
}

static uint64_t inclusive_of(
	const struct profile *p, const struct report_entries *f, const char *name)
{
	for (uint32_t i = 0; i < f->nr; i++)
		if (!strcmp(profile_name(p, f->list[i].frame, NULL), name))
			return f->list[i].inclusive;
	return 0;
}

/*
 * Compared with counting stack by stack: recursion counts once, self weights add up to the total.
 */
static void test_sums(void **state)
{
	struct profile p;
	struct report_entries f;
	uint64_t want[5] = {0}, total = 0, self = 0, seed = 3;

	(void)state;
	profile_init(&p);
	for (int i = 0; i < 2000; i++) {
		uint32_t stack[8];
		unsigned seen = 0;
		size_t n = 1 + seed % 8;

		for (size_t k = 0; k < n; k++) {
			seed = hash_u64(seed + 1);
			stack[k] = profile_frame(&p, seed >> 20 & 1 ? FRAME_INLINE : FRAME_USER,
				&"abcde"[seed % 5], 1, "m", 1);
			seen |= 1U << seed % 5;
		}
		profile_add(&p, stack, n, (uint64_t)i);
		total += (uint64_t)i;
		for (int k = 0; k < 5; k++)
			if (seen >> k & 1)
				want[k] += (uint64_t)i;
	}
	profile_finish(&p);
	entries_init(&f, &p, NULL);
	assert_int_equal(f.nr, 5);
	for (uint32_t i = 0; i < f.nr; i++)
		self += f.list[i].self;
	assert_int_equal(self, total);
	for (int k = 0; k < 5; k++)
		assert_int_equal(inclusive_of(&p, &f, (char[]){(char)('a' + k), 0}), want[k]);
	entries_release(&f);
	entries_init_categories(&f, &p, NULL);
	assert_int_equal(f.nr, 1);
	assert_string_equal(entry_category(&f, &f.list[0]), "m");
	assert_int_equal(f.list[0].inclusive, total);
	entries_release(&f);
	profile_release(&p);
}

static void test_no_stacks(void **state)
{
	struct profile p;
	struct report_entries f;

	(void)state;
	profile_init(&p);
	profile_finish(&p);
	entries_init(&f, &p, NULL);
	assert_int_equal(f.nr, 0);
	entries_release(&f);
	entries_init_categories(&f, &p, NULL);
	assert_int_equal(f.nr, 0);
	entries_release(&f);
	profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_no_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
