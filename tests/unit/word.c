/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"
#include "lib/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void check(void (*add)(struct strbuf *, const char *, size_t), const char *s, size_t len,
	const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	add(&sb, s, len);
	assert_string_equal(sb.buf, want);
	if (len) {
		sb.len = word_decode(sb.buf, sb.len);
		assert_int_equal(sb.len, len);
		assert_memory_equal(sb.buf, s, len);
	}
	strbuf_release(&sb);
}

static void test_words(void **state)
{
	(void)state;
	check(word_add, "", 0, "-");
	check(word_add, "-", 1, "\\x2d");
	check(word_add, "a b\\", 4, "a\\x20b\\x5c");
	check(word_add, "\0\n\x7f\xff", 4, "\\x00\\x0a\\x7f\xff");
}

static void test_folded_names(void **state)
{
	(void)state;
	check(folded_name_add, "a;b c", 5, "a\\x3bb c");
	check(folded_name_add, "\\x41", 4, "\\x5cx41");
	check(folded_name_add, "a\\b\\", 4, "a\\b\\");
	check(folded_name_add, "\n", 1, "\\x0a");
	check(folded_name_add, "# a#", 4, "\\x23 a#");
	check(folded_name_add, "#", 1, "\\x23");
	check(folded_name_add, "#a # b", 6, "#a # b");
}

static void test_every_byte_comes_back(void **state)
{
	char all[256];

	(void)state;
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	for (int folded = 0; folded < 2; folded++) {
		struct strbuf sb = STRBUF_INIT;

		(folded ? folded_name_add : word_add)(&sb, all, sizeof(all));
		assert_int_equal(word_decode(sb.buf, sb.len), sizeof(all));
		assert_memory_equal(sb.buf, all, sizeof(all));
		strbuf_release(&sb);
	}
}

static void test_decode_leaves_what_is_no_escape(void **state)
{
	char s[] = "\\x4g\\x4\\X41\\\\x41\\x";
	size_t n = word_decode(s, strlen(s));

	(void)state;
	assert_int_equal(n, strlen("\\x4g\\x4\\X41\\A\\x"));
	assert_memory_equal(s, "\\x4g\\x4\\X41\\A\\x", n);
}

static void test_split(void **state)
{
	char line[] = "row - a\\x20b  the rest";
	struct word words[5];

	(void)state;
	assert_int_equal(words_split(line, strlen(line), words, 5), 5);
	assert_string_equal(words[0].s, "row");
	assert_int_equal(words[1].len, 0);
	assert_string_equal(words[2].s, "a b");
	assert_int_equal(words[3].len, 0);
	assert_int_equal(words[4].len, 8);
	assert_memory_equal(words[4].s, "the rest", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_folded_names),
		cmocka_unit_test(test_every_byte_comes_back),
		cmocka_unit_test(test_decode_leaves_what_is_no_escape),
		cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
