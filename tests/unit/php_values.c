/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data by which scripts find PHP, as variables of our scripts. */
#include "runtime/php/php_values.h"
#include "values_test.h"

static struct php_layout layout(void)
{
	return (struct php_layout){
		.current = 0x555556000200,
		.shape = {.top = 0x20000, .prev = 48, .last = 68, .opcodes = 96, .filename = 144},
	};
}

static void php_values__what_is_equal_stands_once(void **state)
{
	struct php_layout l = layout();

	(void)state;
	assert_true(php_values_add(&values, 0x1302, &l));
	assert_true(php_values_add(&values, 17, &l));
	l.threads = true;
	l.globals = (struct pointer_path){true, 2, {(uint64_t)-0x28, 0}};
	l.current = 0x1e8;
	assert_true(php_values_add(&values, 18, &l));
	assert_string_equal(value("php_processes"), "1302.1.11.1.12.2");
	assert_string_equal(value("php_programs"),
		"20000.30.44.60.90.555556000200.0.0.0.0.0."
		"20000.30.44.60.90.1e8.1.2.ffffffffffffffd8.0.0");
}

static void php_values__there_is_no_room_for_all(void **state)
{
	struct php_layout l = layout();
	uint32_t nr = 0;

	(void)state;
	while (nr < 5000 && php_values_add(&values, 0x100000 + nr, &l))
		nr++;
	assert_int_equal(nr, 4096 / strlen("100000.1."));
	for (nr = 0; nr < 5000; nr++) {
		l.current += 8;
		php_values_add(&values, 1, &l);
	}
	assert_true(strlen(value("php_programs")) < 4096);
}

/* The tapset has the same numbers in the same order. */
static void php_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("php");
	size_t next = 0;

	(void)state;
#define NUMBER(name, ...) tapset_expect(&macros, "PHP", #name, next++);
	PHP_NUMBERS(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "PHP", "step", next);
	tapset_expect(&macros, "PHP", "NUMBERS", next + PATH_STEPS);
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			php_values__what_is_equal_stands_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			php_values__there_is_no_room_for_all, set_up, tear_down),
		cmocka_unit_test(php_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
