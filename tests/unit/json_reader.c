/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/json_reader.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct json_reader reader(const char *text)
{
	return (struct json_reader){.at = text, .end = text + strlen(text)};
}

static void test_strings(void **state)
{
	static const struct {
		const char *json, *want; /* want is NULL if the JSON is invalid */
	} cases[] = {
		{"\"\"", ""},
		{" \n\"a b\" ", "a b"},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
		{"\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\"\\ud83d\\u0041\"", "\xef\xbf\xbd"},
		{"\"\\ud83d\"", "\xef\xbf\xbd"},
		{"\"a", NULL},
		{"\"\\x\"", NULL},
		{"\"\\u12\"", NULL},
		{"\"\\", NULL},
	};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_reader j = reader(cases[i].json);

		assert_int_equal(json_read_string(&j, &out), cases[i].want != NULL);
		assert_int_equal(j.bad, cases[i].want == NULL);
		if (cases[i].want)
			assert_string_equal(out.buf, cases[i].want);
	}
	strbuf_release(&out);
}

static void test_numbers(void **state)
{
	struct json_reader j = reader("[12, -3, 0.5, 1e3, 18446744073709551615, \"x\", nan]");
	static const double want[] = {12, -3, 0.5, 1e3, 1.8446744073709552e19};
	struct json_number number;
	uint32_t index;

	(void)state;
	assert_true(json_begin(&j, '['));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_true(json_next(&j) && json_read_number(&j, &number));
		assert_true(number.value == want[i]);
		assert_int_equal(number.is_whole, i == 0 || i == 4);
	}
	assert_true(json_next(&j));
	assert_false(json_read_index(&j, &index));
	assert_false(j.bad); /* a value of another type is skipped */
	assert_true(json_next(&j));
	assert_false(json_read_number(&j, &number));
	assert_false(json_next(&j));
	assert_false(j.bad);
}

static void test_members(void **state)
{
	struct json_reader j = reader("{\"a\": [1, {\"b\": []}], \"c\": {} , \"d\": \"}\"}"), empty;
	struct strbuf name = STRBUF_INIT;

	(void)state;
	assert_true(json_begin(&j, '{'));
	for (const char *want = "acd"; *want; want++) {
		const char *key = json_next_member(&j, &name);

		assert_non_null(key);
		assert_int_equal(key[0], *want);
		json_skip(&j);
	}
	assert_null(json_next_member(&j, &name));
	assert_false(j.bad);
	empty = reader("[ ]");
	assert_true(json_begin(&empty, '['));
	assert_false(json_next(&empty));
	assert_false(empty.bad);
	strbuf_release(&name);
}

static void test_damaged(void **state)
{
	static const char *const cases[] = {
		"", "[", "{", "[}", "{\"a\":[}", "[1", "[\"a]", "*", "[[1]"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_reader j = reader(cases[i]);

		json_skip(&j);
		assert_true(j.bad);
		json_skip(&j);
		assert_int_equal(json_peek(&j), 0);
	}
	struct json_reader list = reader("[1 2]");

	assert_true(json_begin(&list, '[') && json_next(&list));
	json_skip(&list);
	assert_false(json_next(&list));
	assert_true(list.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
