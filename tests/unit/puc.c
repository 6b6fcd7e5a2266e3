/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program plays PUC Lua itself: it has its symbol, a text with any version, and tables of
 * functions. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "runtime/lua/puc_find.h"
#include "runtime/lua/puc_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

extern char lua_ident[64];
char lua_ident[64];

static int played[5];

#define PLAYED(number)                                                                             \
	static int f##number(void *lua)                                                            \
	{                                                                                          \
		(void)lua;                                                                         \
		return played[number]++;                                                           \
	}
PLAYED(0)
PLAYED(1)
PLAYED(2)
PLAYED(3)
PLAYED(4)

struct entry {
	const char *name;
	int (*function)(void *lua);
};

/*
 * Like luaL_Reg. debug also has a function of the base library; the last function is in no library.
 */
static const struct entry base[] = {
	{"_G", NULL}, {"pcall", f0}, {"setmetatable", f1}, {NULL, NULL}};
static const struct entry debug[] = {{"setmetatable", f2}, {"traceback", f3}, {NULL, NULL}};
static const struct entry others[] = {{"format", f4}, {NULL, NULL}};
const struct entry *const registered[] = {base, debug, others};

static struct processes ps;
static struct target target;

static int set_up(void **state)
{
	(void)state;
	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)getpid()), NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	inspect_release(&target);
	processes_release(&ps);
	return 0;
}

/* Finds Lua with TEXT; returns as puc_find(). */
static int find(const char *text, struct puc_layout *layout)
{
	struct strbuf err = STRBUF_INIT;
	int result;

	snprintf(lua_ident, sizeof(lua_ident), "%s", text);
	result = puc_find(&target, layout, &err);
	assert_int_equal(result<0, err.len> 0);
	strbuf_release(&err);
	return result;
}

static void find__each_version(void **state)
{
	static const struct {
		const char *text;
		unsigned minor, release;
	} list[] = {
		{"$Lua: Lua 5.1.5 Copyright (C) 1994-2012 Lua.org, PUC-Rio $", 1, 5},
		{"$LuaVersion: Lua 5.2.4  Copyright (C) 1994-2015 Lua.org, PUC-Rio", 2, 4},
		{"$LuaVersion: Lua 5.3.6  Copyright (C) 1994-2020 Lua.org, PUC-Rio", 3, 6},
		{"$LuaVersion: Lua 5.4.4  Copyright (C) 1994-2022 Lua.org, PUC-Rio", 4, 4},
		{"$LuaVersion: Lua 5.5.1  Copyright (C) 1994-2026 Lua.org, PUC-Rio", 5, 1},
	};
	struct puc_layout layout;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		assert_int_equal(find(list[i].text, &layout), 0);
		assert_int_equal(layout.minor, list[i].minor);
		assert_int_equal(layout.release, list[i].release);
		assert_int_equal(layout.shape.minor, list[i].minor);
	}
}

/* Returns the name of FUNCTION of this program, in that layout. */
static const char *name_of(const struct puc_layout *l, int (*function)(void *lua))
{
	return puc_library_name(l->functions, (uintptr_t)function - l->bias);
}

static void find__names_of_library_functions(void **state)
{
	const char *const text = "$LuaVersion: Lua 5.4.4  Copyright";
	struct puc_layout layout, again;

	(void)state;
	assert_int_equal(find(text, &layout), 0);
	assert_string_equal(name_of(&layout, f0), "pcall");
	assert_string_equal(name_of(&layout, f1), "setmetatable");
	assert_string_equal(name_of(&layout, f2), "debug.setmetatable");
	assert_string_equal(name_of(&layout, f3), "debug.traceback");
	assert_null(name_of(&layout, f4));
	assert_null(puc_library_name(layout.functions, 0));
	assert_null(puc_library_name(layout.functions, UINT64_MAX));
	assert_null(puc_library_name(NULL, 0));
	assert_int_equal(find(text, &again), 0);
	assert_ptr_equal(again.functions, layout.functions);
}

static void find__not_other_versions(void **state)
{
	struct puc_layout layout;

	(void)state;
	assert_int_equal(find("$LuaVersion: Lua 5.0.3  Copyright", &layout), -1);
	assert_int_equal(find("$LuaVersion: Lua 5.2.0  Copyright", &layout), -1);
	assert_int_equal(find("$LuaVersion: Lua 5.3.2  Copyright", &layout), -1);
	assert_int_equal(find("$LuaVersion: Lua 5.4.2  Copyright", &layout), -1);
	assert_int_equal(find("$LuaVersion: Lua 5.6.0  Copyright", &layout), -1);
}

static void find__not_other_texts(void **state)
{
	struct puc_layout layout;

	(void)state;
	assert_int_equal(find("", &layout), 1);
	assert_int_equal(find("Lua 5.4.4", &layout), 1);
	assert_int_equal(find("$LuaVersion: Lua 5.", &layout), 1);
	assert_int_equal(find("$LuaVersion: Lua 5.4", &layout), 1);
	assert_int_equal(find("$LuaVersion: Lua 5.x.4", &layout), 1);
	/* the text is cut off where the version would be */
	assert_int_equal(find("$012345678901234567890123456789012345678 Lua 5.4.4", &layout), 1);
}

static bool read_nothing(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	(void)address;
	(void)to;
	(void)len;
	return false;
}

static void find__unreadable_memory(void **state)
{
	struct puc_layout layout;

	(void)state;
	target.memory.read = read_nothing;
	assert_int_equal(find("$LuaVersion: Lua 5.4.4  Copyright", &layout), -1);
}

static void describe__with_and_without_release(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct puc_layout layout = {.minor = 1, .release = PUC_ANY_RELEASE};

	(void)state;
	puc_describe(&layout, "/usr/bin/x", 1302, &text);
	assert_string_equal(text.buf, "Lua 5.1 in '/usr/bin/x' of process 1302");
	strbuf_reset(&text);
	layout.release = 5;
	puc_describe(&layout, "/usr/bin/x", 1302, &text);
	assert_string_equal(text.buf, "Lua 5.1.5 in '/usr/bin/x' of process 1302");
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(find__each_version, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			find__names_of_library_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__not_other_versions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__not_other_texts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(find__unreadable_memory, set_up, tear_down),
		cmocka_unit_test(describe__with_and_without_release),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
