/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data by which scripts find Lua, as variables of our scripts. */
#include "runtime/lua/lua_values.h"
#include "values_test.h"

/* Every number of the shape is different, the first is 1. */
static struct lua_layout layout(void)
{
	struct lua_layout l = {
		.kind = LUA_JIT, .jit = {.has_traces = true, .state = 0x7f1234567890}};
	uint16_t next = 1;

#define NUMBER(name) l.jit.shape.name = next++;
	LUAJIT_SHAPE_ALL(NUMBER)
#undef NUMBER
	return l;
}

static void lua_values__nothing_without_processes(void **state)
{
	(void)state;
	vm_values_give(&values, &argv);
	assert_int_equal(argv.nr, 0);
}

static void lua_values__what_is_equal_stands_once(void **state)
{
	struct lua_layout l = layout();

	(void)state;
	assert_true(lua_values_add(&values, 0x1302, &l));
	l.jit.state = 0;
	assert_true(lua_values_add(&values, 17, &l));
	l.jit.has_traces = false;
	assert_true(lua_values_add(&values, 18, &l));
	assert_string_equal(value("lua_processes"), "1302.1.7f1234567890.11.1.0.12.2.0");
	assert_memory_equal(value("lua_shapes"), "1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10.11.12.13.", 42);
	assert_non_null(strstr(value("lua_shapes"), ".25.26.1.2.3."));
	assert_non_null(strstr(value("lua_shapes"), ".f.10.0.12."));
}

static void lua_values__there_is_no_room_for_all(void **state)
{
	struct lua_layout l = layout();
	uint32_t nr = 0;

	(void)state;
	l.jit.state = 0;
	while (nr < 5000 && lua_values_add(&values, 0x100000 + nr, &l))
		nr++;
	assert_int_equal(nr, 4096 / strlen("100000.1.0."));
	assert_true(strlen(value("lua_processes")) < 4096);
	for (nr = 0; nr < 5000; nr++) {
		l.jit.shape.text = (uint16_t)(0x1000 + nr);
		lua_values_add(&values, 1, &l);
	}
	assert_true(strlen(value("lua_shapes")) < 4096);
}

static void lua_values__what_scripts_walk(void **state)
{
	struct lua_layout l = layout();

	(void)state;
	l.jit.shape.refs = 8;
	assert_null(lua_values_unfit(&l));
	l.jit.shape.refs = 4;
	assert_string_equal(lua_values_unfit(&l), "LuaJIT with 32-bit references");
	l.kind = LUA_PUC;
	assert_null(lua_values_unfit(&l));
}

static void lua_values__puc(void **state)
{
	struct lua_layout l = {.kind = LUA_PUC};

	(void)state;
	l.puc.shape = *puc_shape(4, 6);
	assert_true(lua_values_add(&values, 0x1302, &l));
	assert_true(lua_values_add(&values, 17, &l));
	l.puc.shape = *puc_shape(1, 5);
	assert_true(lua_values_add(&values, 18, &l));
	assert_string_equal(value("lua_puc_processes"), "1302.1.11.1.12.2");
	assert_memory_equal(value("lua_puc_shapes"), "4.a.18.20.60.b0.108.", 20);
	assert_non_null(strstr(value("lua_puc_shapes"), ".1.a.20.28.50.60.b0."));
}

/* The tapset has the same numbers in the same order. */
static void lua_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("lua");
	size_t next = 0;

	(void)state;
#define NUMBER(name) tapset_expect(&macros, "LUA", #name, next++);
	LUAJIT_SHAPE_ALL(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "LUA", "NUMBERS", next);
	next = 0;
#define NUMBER(name) tapset_expect(&macros, "PUC", #name, next++);
	PUC_NUMBERS(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "PUC", "NUMBERS", next);
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lua_values__nothing_without_processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lua_values__what_is_equal_stands_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lua_values__there_is_no_room_for_all, set_up, tear_down),
		cmocka_unit_test(lua_values__what_scripts_walk),
		cmocka_unit_test_setup_teardown(lua_values__puc, set_up, tear_down),
		cmocka_unit_test(lua_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
