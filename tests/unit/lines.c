/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/lines.h"
#include "lib/util.h"
#include "text_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void expect(const char *text, size_t text_len, const char *const *want, size_t nr)
{
	FILE *file = text_file(text, text_len);
	struct lines lines;
	char *line;
	size_t len;

	assert_non_null(file);
	lines_init(&lines, fileno(file));
	for (size_t i = 0; i < nr; i++) {
		assert_true(lines_next(&lines, &line, &len));
		assert_int_equal(len, strlen(want[i]));
		assert_memory_equal(line, want[i], len);
	}
	assert_false(lines_next(&lines, &line, &len));
	assert_int_equal(lines.error, 0);
	assert_int_equal(lines.too_long, 0);
	lines_release(&lines);
	fclose(file);
}

static void test_ends_of_lines(void **state)
{
	const char *const want[] = {"a", "", "b\r", "\rc", "d"};

	(void)state;
	expect("a\n\r\nb\r\r\n\rc\nd", 12, want, 5);
	expect("", 0, NULL, 0);
	expect("\n", 1, (const char *const[]){""}, 1);
}

static void test_lines_across_reads(void **state)
{
	enum { NR = 3000, LEN = 100 };
	char *text = xmalloc(NR * LEN);
	FILE *file;
	struct lines lines;
	char *line;
	size_t len;

	(void)state;
	memset(text, 'x', NR * LEN);
	for (size_t i = 0; i < NR; i++)
		text[i * LEN + LEN - 1 - i % LEN] = '\n';
	file = text_file(text, NR * LEN);
	assert_non_null(file);
	lines_init(&lines, fileno(file));
	size_t at = 0;

	for (size_t i = 0; i < NR; i++) {
		size_t end = i * LEN + LEN - 1 - i % LEN;

		assert_true(lines_next(&lines, &line, &len));
		assert_int_equal(len, end - at);
		at = end + 1;
	}
	assert_true(lines_next(&lines, &line, &len));
	assert_int_equal(len, NR * LEN - at);
	assert_false(lines_next(&lines, &line, &len));
	lines_release(&lines);
	fclose(file);
	free(text);
}

static void test_too_long(void **state)
{
	size_t size = 3 * (size_t)LINES_MAX;
	char *text = xmalloc(size), *line;
	struct lines lines;
	size_t len;
	FILE *file;

	(void)state;
	memset(text, 'x', size);
	memcpy(text + size - 5, "\nend\n", 5);
	file = text_file(text, size);
	assert_non_null(file);
	lines_init(&lines, fileno(file));
	assert_true(lines_next(&lines, &line, &len));
	assert_int_equal(len, LINES_MAX);
	assert_int_equal(lines.too_long, 1);
	assert_true(lines_next(&lines, &line, &len));
	assert_int_equal(len, 3);
	assert_false(lines_next(&lines, &line, &len));
	lines_release(&lines);
	fclose(file);
	free(text);
}

static void test_peek_takes_nothing(void **state)
{
	FILE *file = text_file("one\ntwo\n", 8);
	struct lines lines;
	const char *bytes;
	char *line;
	size_t len;

	(void)state;
	assert_non_null(file);
	lines_init(&lines, fileno(file));
	assert_int_equal(lines_peek(&lines, 5, &bytes), 5);
	assert_memory_equal(bytes, "one\nt", 5);
	assert_int_equal(lines_peek(&lines, 100, &bytes), 8);
	assert_true(lines_next(&lines, &line, &len));
	assert_memory_equal(line, "one", len);
	lines_release(&lines);
	fclose(file);
}

static void check_unended(const char *text, size_t text_len, bool want)
{
	FILE *file = text_file(text, text_len);
	struct lines lines;
	char *line;
	size_t len;

	assert_non_null(file);
	lines_init(&lines, fileno(file));
	while (lines_next(&lines, &line, &len))
		;
	assert_int_equal(lines.unended, want);
	assert_false(lines_next(&lines, &line, &len));
	assert_int_equal(lines.unended, want);
	lines_release(&lines);
	fclose(file);
}

static void test_unended_stays(void **state)
{
	size_t size = 2 * (size_t)LINES_MAX;
	char *text = xmalloc(size);

	(void)state;
	check_unended("", 0, false);
	check_unended("a\nb\n", 4, false);
	check_unended("a\nb", 3, true);
	memset(text, 'x', size);
	check_unended(text, size, true);
	text[size - 1] = '\n';
	check_unended(text, size, false);
	free(text);
}

static void test_read_error(void **state)
{
	struct lines lines;
	char *line;
	size_t len;

	(void)state;
	lines_init(&lines, -1);
	assert_false(lines_next(&lines, &line, &len));
	assert_int_not_equal(lines.error, 0);
	lines_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_of_lines),
		cmocka_unit_test(test_lines_across_reads),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_peek_takes_nothing),
		cmocka_unit_test(test_unended_stays),
		cmocka_unit_test(test_read_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
