/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef void adder(struct strbuf *out, const char *s, size_t len, size_t columns);

static void expect(adder *add, const char *s, size_t columns, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	add(&sb, s, strlen(s), columns);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void test_cut(void **state)
{
	(void)state;
	expect(terminal_add, "", 3, "");
	expect(terminal_add, "abcdef", 6, "abcdef");
	expect(terminal_add, "abcdef", 5, "ab...");
	expect(terminal_add, "a\x1b[m", 7, "a\\x1b[m");
	expect(terminal_add, "a\x1b[m", 6, "a...");
	expect(terminal_add,
		"a\xe2\x80\xae"
		"b",
		14, "a\\xe2\\x80\\xaeb"); /* U+202E */
	expect(terminal_add,
		"a\xd8\x9c"
		"b",
		9, "a...");
	expect(terminal_add, "\xff\xc3\xa9", 5, "\\xff\xc3\xa9");
	expect(terminal_add, "\xe4\xb8\xad\xe4\xb8\xad", 4, "\xe4\xb8\xad\xe4\xb8\xad");
	expect(terminal_add, "\xe4\xb8\xad\xe4\xb8\xad", 3, "...");
}

static void test_cut_at_the_beginning(void **state)
{
	(void)state;
	expect(terminal_add_end, "", 3, "");
	expect(terminal_add_end, "/usr/bin/x", 10, "/usr/bin/x");
	expect(terminal_add_end, "/usr/bin/x", 9, ".../bin/x");
	expect(terminal_add_end, "a\x1b[m", 6, "...[m");
	expect(terminal_add_end, "a\xe4\xb8\xad\xe4\xb8\xad", 4, "...");
	expect(terminal_add_end, "abcd", 0, "...");
}

static void test_cut_in_the_middle(void **state)
{
	(void)state;
	expect(terminal_add_ends, "", 3, "");
	expect(terminal_add_ends, "abcdefgh", 8, "abcdefgh");
	expect(terminal_add_ends, "abcdefgh", 7, "ab...gh");
	expect(terminal_add_ends, "abcdefgh", 6, "ab...h");
	expect(terminal_add_ends, "abcdefgh", 3, "...");
	expect(terminal_add_ends, "a\x1b[m\x1b[m", 11, "a...[m");
	expect(terminal_add_ends, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 5, "...");
	expect(terminal_add_ends, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 7,
		"\xe4\xb8\xad...\xe4\xb8\xad");
	assert_int_equal(terminal_width("a\x1b\xc3\xa9\xe4\xb8\xad", 7), 8);
}

static void expect_lines(const char *s, size_t indent, size_t columns, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	terminal_add_lines(&sb, s, indent, columns);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void test_lines(void **state)
{
	(void)state;
	expect_lines("", 2, 10, "\n");
	expect_lines("one two three", 0, 40, "one two three\n");
	expect_lines("one two three", 2, 9, "  one two\n  three\n");
	expect_lines("one  two", 2, 8, "  one\n  two\n");
	expect_lines("a /usr/lib/debug/.build-id b", 4, 10,
		"    a\n    /usr/lib/debug/.build-id\n    b\n");
	expect_lines("a\nb \x1b[2J", 0, 80, "a\\x0ab \\x1b[2J\n");
}

static void test_percent(void **state)
{
	static const struct {
		uint64_t part, all;
		const char *want;
	} cases[] = {
		{0, 0, "0.00"},
		{1, 3, "33.33"},
		{2, 3, "66.67"},
		{1, 20000, "0.01"},
		{UINT64_MAX, UINT64_MAX, "100.00"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf sb = STRBUF_INIT;

		percent_add(&sb, cases[i].part, cases[i].all);
		assert_string_equal(sb.buf, cases[i].want);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_at_the_beginning),
		cmocka_unit_test(test_cut_in_the_middle),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
