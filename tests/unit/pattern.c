/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/pattern.h"
#include "lib/patterns.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool match(const char *pattern, const char *name)
{
	struct pattern p;

	assert_int_equal(pattern_init(&p, pattern, strlen(pattern)), 0);
	bool matches = pattern_matches(&p, name, strlen(name));

	pattern_release(&p);
	return matches;
}

static void test_matches(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"abcd", "abc", false},
		{"tcp_*", "tcp_sendmsg", true},
		{"tcp_*", "tcp_", true},
		{"tcp_*", "__tcp_push", false},
		{"ip_*", "clip_x", false},
		{"*", "", true},
		{"**", "a", true},
		{"*_*_*", "a_b_c_d", true},
		{"*.so", "libc.so.6", false},
		{"*.so*", "libc.so.6", true},
		{"a*bc*bd", "abcbcbd", true},
		{"a*bc*bd", "abcbcbe", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"?", "", false},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "ax", false},
		{"[^a-c]x", "dx", true},
		{"[^a-c]x", "ax", false},
		{"[^]x]", "]", false},
		{"[a^]x", "^x", true},
		{"[\\^a]", "^", true},
		{"[]x]", "]", true},
		{"[!]x]", "]", false},
		{"[a-]", "-", true},
		{"[\\]a]", "]", true},
		{"[\\!]", "!", true},
		{"[a\\-c]", "b", false},
		{"\\[kernel]", "[kernel]", true},
		{"operator\\*", "operator*", true},
		{"operator\\*", "operator+", false},
		{"operator new*", "operator new[]", true},
		{"\xc3*", "\xc3\xa9", true},
		{"[\x80-\xff]", "\xc3", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(match(cases[i].pattern, cases[i].name), cases[i].matches);
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"[", "a[b", "[]", "[!", "[!]", "[a\\]", "a\\", "operator[]"};
	struct pattern p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_int_equal(pattern_init(&p, wrong[i], strlen(wrong[i])), -1);
}

static void test_nul(void **state)
{
	struct pattern p;

	(void)state;
	assert_int_equal(pattern_init(&p, "a\0?", 3), 0);
	assert_true(pattern_matches(&p, "a\0b", 3));
	assert_false(pattern_matches(&p, "a", 1));
	pattern_release(&p);
}

/* Matches by trying everything. */
static bool slow_match(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (*p == '*')
		return slow_match(p + 1, s) || (*s && slow_match(p, s + 1));
	return *s && (*p == '?' || *p == *s) && slow_match(p + 1, s + 1);
}

static uint64_t draw(char *s, const char *letters, uint64_t seed)
{
	size_t n = seed % 8;

	for (size_t i = 0; i < n; i++) {
		seed = hash_u64(seed + 1);
		s[i] = letters[seed % strlen(letters)];
	}
	s[n] = '\0';
	return hash_u64(seed + 1);
}

static void test_against_trying(void **state)
{
	char pattern[9], name[9];
	uint64_t seed = 1;
	int matches = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		seed = draw(pattern, "ab*?", seed);
		seed = draw(name, "ab", seed);
		assert_int_equal(match(pattern, name), slow_match(pattern, name));
		matches += slow_match(pattern, name);
	}
	assert_true(matches > 10000);
}

/* Backtracking into every star would not end. */
static void test_many_stars(void **state)
{
	char pattern[2 * 500 + 2], name[5001];

	(void)state;
	for (size_t i = 0; i < 500; i++)
		memcpy(pattern + 2 * i, "a*", 2);
	strcpy(pattern + 1000, "b");
	memset(name, 'a', 5000);
	name[5000] = '\0';
	assert_false(match(pattern, name));
}

enum { MANY = 60 };

/* Checks that each pattern that matches is found once, and that others are not found. */
static void check_set(const struct patterns *set, const struct pattern *list, const char *name)
{
	int found[MANY] = {0};

	for (uint32_t at = patterns_first(set, name, strlen(name)); at;
		at = patterns_next(set, at, name, strlen(name)))
		found[patterns_value(set, at)]++;
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(found[i], pattern_matches(&list[i], name, strlen(name)));
}

static void test_set(void **state)
{
	struct pattern list[MANY];
	struct patterns set;
	char text[9];
	uint64_t seed = 7;

	(void)state;
	patterns_init(&set);
	for (uint32_t i = 0; i < MANY; i++) {
		seed = draw(text, "abab*?", seed);
		assert_int_equal(pattern_init(&list[i], text, strlen(text)), 0);
		patterns_add(&set, &list[i], i);
	}
	patterns_sort(&set);
	for (int i = 0; i < 10000; i++) {
		seed = draw(text, "abc", seed);
		check_set(&set, list, text);
	}
	patterns_release(&set);
	for (size_t i = 0; i < MANY; i++)
		pattern_release(&list[i]);
}

static void test_empty_set(void **state)
{
	struct patterns set;

	(void)state;
	patterns_init(&set);
	patterns_sort(&set);
	assert_int_equal(patterns_first(&set, "a", 1), 0);
	patterns_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_against_trying),
		cmocka_unit_test(test_many_stars),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_empty_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
