/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/util.h"
#include "runtime/definitions.h"
#include "runtime/lua/lua_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define UNKNOWN "?"

/* Returns the name of the function that begins in LINE of TEXT, also after it was written and read.
 */
static char *name_in(const char *text, uint32_t line, const char *called)
{
	struct definitions list = DEFINITIONS_INIT, copy = DEFINITIONS_INIT;
	struct strbuf written = STRBUF_INIT;

	lua_source_list(text, strlen(text), &list);
	definitions_write(&list, &written);
	definitions_read(&copy, written.buf, written.len);
	assert_int_equal(copy.nr, list.nr);
	const char *name = definitions_find(&copy, line, called);
	char *found = xstrdup(name ? name : UNKNOWN);

	definitions_release(&list);
	definitions_release(&copy);
	strbuf_release(&written);
	return found;
}

static void test_names(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *called, *name;
	} cases[] = {
		{"local function f() end", 1, NULL, "f"},
		{"#!/bin/lua\nfunction f() end", 2, NULL, "f"},
		{"\nfunction a.b.c() end", 2, "x", "c"},
		{"function\na:m\n(x) end", 1, NULL, "m"},
		{"local function f\n() end", 2, NULL, "f"},
		{"f = function() end", 1, NULL, "f"},
		{"a.b.f = function() end", 1, NULL, "f"},
		{"local f <const> = function() end", 1, NULL, "f"},
		{"t['key'] = function() end", 1, NULL, "key"},
		{"t['k\\101'] = function() end", 1, NULL, UNKNOWN},
		{"t[1] = function() end", 1, NULL, UNKNOWN},
		{"t = { a = 1, f = function() end }", 1, NULL, "f"},
		{"t = { 1,\nfunction() end }", 2, "x", ""},
		{"a, f = function() end", 1, NULL, UNKNOWN},
		{"f = f or function() end", 1, "f", UNKNOWN},
		{"call(1, function() end)", 1, "cb", ""},
		{"return function() end", 1, "cb", ""},
		{"x = (function() end)()", 1, NULL, ""},
		{"if a == function() end then end", 1, NULL, UNKNOWN},
		/* several in one line: only a caller's name that is one of theirs is right */
		{"local function f(x) return function(y) end end", 1, "f", "f"},
		{"local function f(x) return function(y) end end", 1, "g", UNKNOWN},
		/* no functions */
		{"-- function f() end", 1, NULL, UNKNOWN},
		{"--[==[\nfunction f() end ]] ]==] function g() end", 2, NULL, "g"},
		{"s = [[\n]=]\nfunction f()]] function g() end", 3, NULL, "g"},
		{"s = 'function f() \\' end' function g() end", 1, NULL, "g"},
		{"s = 'a\\\nb' function g() end", 2, NULL, "g"},
		{"functions = 1 my_function()", 1, NULL, UNKNOWN},
		{"function", 1, NULL, UNKNOWN},
		{"x = function", 1, NULL, UNKNOWN},
		{"--[[", 1, NULL, UNKNOWN},
		{"'", 1, NULL, UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *name = name_in(cases[i].text, cases[i].line, cases[i].called);

		if (strcmp(name, cases[i].name))
			print_error("%s\n", cases[i].text);
		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

/* What the worker sends is not trusted. */
static void test_damaged_lists(void **state)
{
	static const char *const texts[] = {"", "1", "1 0", "1 0 f", "x 0 f\n", "1 7 f\n", "1 f\n",
		"5 0 f\n1 0 g\n", "99999999999 0 f\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct definitions list = DEFINITIONS_INIT;

		definitions_read(&list, texts[i], strlen(texts[i]));
		assert_true(list.nr <= 1);
		assert_null(definitions_find(&list, 1, NULL));
		definitions_release(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_damaged_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
