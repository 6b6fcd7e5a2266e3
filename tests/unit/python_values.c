/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data by which scripts find Python, as variables of our scripts. */
#include "runtime/python/python_values.h"
#include "values_test.h"

/* Every number of the shape is different, but that the last one is true. */
static struct python_layout layout(void)
{
	struct python_layout l = {
		.interpreters = 0x555555a00028, .code_type = 0x5555559f0000, .current = 0};
	unsigned next = 0x20;

#define NUMBER(name) l.shape.name = next++;
	PYTHON_NUMBERS(NUMBER)
#undef NUMBER
	return l;
}

static void python_values__what_is_equal_stands_once(void **state)
{
	struct python_layout l = layout();

	(void)state;
	assert_true(python_values_add(&values, 0x1302, &l));
	assert_true(python_values_add(&values, 17, &l));
	l.current = 0x555555a00500;
	assert_true(python_values_add(&values, 18, &l));
	l.shape.cframe_frame = PYTHON_NONE;
	assert_true(python_values_add(&values, 19, &l));
	assert_string_equal(value("python_processes"), "1302.1.11.1.12.2.13.3");
	assert_string_equal(value("python_programs"), "1.555555a00028.5555559f0000.0."
						      "1.555555a00028.5555559f0000.555555a00500."
						      "2.555555a00028.5555559f0000.555555a00500");
	assert_string_equal(value("python_shapes"),
		"20.21.22.23.24.25.26.27.28.29.2a.2b.2c.2d.2e.2f.30.31.32.33.34.35.36.37.38.39.3a."
		"3b.3c.1."
		"20.21.22.23.24.25.26.27.ffff.29.2a.2b.2c.2d.2e.2f.30.31.32.33.34.35.36.37.38.39."
		"3a.3b.3c.1");
}

static void python_values__there_is_no_room_for_all(void **state)
{
	struct python_layout l = layout();
	uint32_t nr = 0;

	(void)state;
	while (nr < 5000 && python_values_add(&values, 0x100000 + nr, &l))
		nr++;
	assert_int_equal(nr, 4096 / strlen("100000.1."));
	assert_true(strlen(value("python_processes")) < 4096);
	for (nr = 0; nr < 5000; nr++) {
		l.interpreters += 8;
		python_values_add(&values, 1, &l);
	}
	assert_true(strlen(value("python_programs")) < 4096);
}

/* The tapset has the same numbers in the same order. */
static void python_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("python");
	size_t next = 0;

	(void)state;
#define NUMBER(name) tapset_expect(&macros, "PYTHON", #name, next++);
	PYTHON_NUMBERS(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "PYTHON", "interpreters", next++);
	tapset_expect(&macros, "PYTHON", "code_type", next++);
	tapset_expect(&macros, "PYTHON", "current", next++);
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			python_values__what_is_equal_stands_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			python_values__there_is_no_room_for_all, set_up, tear_down),
		cmocka_unit_test(python_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
