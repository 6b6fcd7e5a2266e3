/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/measure.h"
#include "lib/util.h"
#include "tool/at/at_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void measure__values(void **state)
{
	static const struct {
		const char *text;
		enum measure_kind kind;
		unsigned arg;
		const char *name;
		uint8_t size;
		bool is_signed;
	} cases[] = {
		{"$arg1", VALUE_ARG, 1, NULL, 0, false},
		{"$arg6", VALUE_ARG, 6, NULL, 0, false},
		{"$arg12", VALUE_ARG, 12, NULL, 0, false},
		{"$arg13", VALUE_NAME, 0, "arg13", 0, false},
		{"$arg01", VALUE_NAME, 0, "arg01", 0, false},
		{"arg1", VALUE_NAME, 0, "arg1", 0, false},
		{"int_arg(2)", VALUE_ARG, 2, NULL, 4, true},
		{"uint_arg(2)", VALUE_ARG, 2, NULL, 4, false},
		{"long_arg(3)", VALUE_ARG, 3, NULL, 8, true},
		{"pointer_arg(1)", VALUE_ARG, 1, NULL, 8, false},
		{"$return", VALUE_RETURN, 0, NULL, 0, false},
		{"retval", VALUE_RETURN, 0, NULL, 0, false},
		{"returnval()", VALUE_RETURN, 0, NULL, 0, false},
		{" $count ", VALUE_NAME, 0, "count", 0, false},
		{"count", VALUE_NAME, 0, "count", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct measure_value value;

		assert_true(measure_value_parse(&value, cases[i].text));
		assert_int_equal(value.kind, cases[i].kind);
		assert_int_equal(value.arg, cases[i].arg);
		assert_int_equal(value.size, cases[i].size);
		assert_int_equal(value.is_signed, cases[i].is_signed);
		assert_int_equal(!value.name, !cases[i].name);
		if (value.name)
			assert_string_equal(value.name, cases[i].name);
		measure_value_release(&value);
	}
}

static void measure__other_values(void **state)
{
	static const char *const texts[] = {"", "$", "1", "$1", "$a b", "$a->b", "$a + 1",
		"@entry($a)", "int_arg(0)", "int_arg(7)", "int_arg(1", "$int_arg(1)", "f(1)",
		"$a[0]"};
	struct measure_value value;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(measure_value_parse(&value, texts[i]));
}

static void measure__tests(void **state)
{
	static const struct {
		const char *text;
		enum measure_compare compare;
		int64_t constant;
	} cases[] = {
		{"$a == 5", COMPARE_EQUAL, 5},
		{"$a!=5", COMPARE_NOT_EQUAL, 5},
		{"$a < -1", COMPARE_LESS, -1},
		{"$a <= 0x10", COMPARE_LESS_EQUAL, 16},
		{"$a>0", COMPARE_GREATER, 0},
		{"int_arg(1) >= -0x2 ", COMPARE_GREATER_EQUAL, -2},
	};
	static const char *const others[] = {"$a", "$a = 5", "$a >", "$a > $b", "$a > 5 && 1",
		"5 < $a", "$a > 99999999999999999999", "$a > - 1"};
	struct measure_test test;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(measure_test_parse(&test, cases[i].text));
		assert_int_equal(test.compare, cases[i].compare);
		assert_int_equal(test.constant, cases[i].constant);
		measure_value_release(&test.value);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(measure_test_parse(&test, others[i]));
}

/* Text that would go beyond the expression in a script. */
static void measure__expressions(void **state)
{
	static const char *const good[] = {"$a", "@entry($a) + 1", "$a[0]->b", "a(b, \"c\")"};
	static const char *const bad[] = {
		"", " ", "a)", "(a", "a)(", "a{", "a}", "a;b", "a\nb", "a#b", "a\\"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(measure_is_expression(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(measure_is_expression(bad[i]));
	assert_true(measure_is_of_return("$return < 0"));
	assert_true(measure_is_of_return("5 < retval"));
	assert_true(measure_is_of_return("returnval()"));
	assert_false(measure_is_of_return("$returned < 0"));
	assert_false(measure_is_of_return("no_return"));
}

#define PLACE(o, s, i)                                                                             \
	{                                                                                          \
		.offset = o, .size = s, .is_signed = i                                             \
	}

static void measure__fields(void **state)
{
	static const struct {
		const char *line, *name;
		struct at_place place; /* size 0 if there is none */
	} cases[] = {
		{"\tfield:pid_t child_pid;\toffset:28;\tsize:4;\tsigned:1;\n", "child_pid",
			PLACE(28, 4, true)},
		{"\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n", "fd",
			PLACE(16, 4, false)},
		{"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n", "dfd", PLACE(16, 4, true)},
		{"\tfield:size_t count;\toffset:32;\tsize:8;\tsigned:0;\n", "count",
			PLACE(32, 8, false)},
		{"\tfield:const char * buf;\toffset:24;\tsize:8;\tsigned:0;\n", "buf",
			PLACE(24, 8, false)},
		{"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n", "comm[16]", {0}},
		{"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n", "name", {0}},
		{"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n",
			"common_type", {0}},
		{"\tfield:int prefix_fd;\toffset:16;\tsize:4;\tsigned:1;\n", "fd", {0}},
		{"\tfield:int fd;\toffset:16;\tsize:3;\tsigned:1;\n", "fd", {0}},
		{"\tfield:int fd;\toffset:70000;\tsize:4;\tsigned:1;\n", "fd", {0}},
		{"name: fd;\n", "fd", {0}},
		{"\tfield:fd;\toffset:16;\tsize:4;\tsigned:1;\n", "fd", {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct at_place place = {0};

		assert_int_equal(at_field_parse(&place, cases[i].line, cases[i].name),
			cases[i].place.size > 0);
		assert_int_equal(place.offset, cases[i].place.offset);
		assert_int_equal(place.size, cases[i].place.size);
		assert_int_equal(place.is_signed, cases[i].place.is_signed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measure__values),
		cmocka_unit_test(measure__other_values),
		cmocka_unit_test(measure__tests),
		cmocka_unit_test(measure__expressions),
		cmocka_unit_test(measure__fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
