/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data by which scripts find Ruby, as variables of our scripts. */
#include "runtime/ruby/ruby_values.h"
#include "values_test.h"

static struct ruby_layout layout(void)
{
	return (struct ruby_layout){
		.ec = {true, 1, {(uint64_t)-0x28}},
		.gc = {false, 2, {0x555556000200, 0x10}},
		.gc_flags = 0x28,
		.during_gc = 4,
		.ids = 0x555556000100,
		.shape = {.cfp_size = 64,
			.insns_info = 120,
			.local_iseq = 168,
			.entry_size = 12,
			.embedded = 24},
		.classes = {.name = 0x60, .attached = 0x58, .is_singleton = 0x2000},
	};
}

static void ruby_values__what_is_equal_stands_once(void **state)
{
	struct ruby_layout l = layout();

	(void)state;
	assert_true(ruby_values_add(&values, 0x1302, &l));
	assert_true(ruby_values_add(&values, 17, &l));
	l.gc = (struct pointer_path){0};
	l.shape.pushed_first = 1;
	l.classes.facts = RUBY_BY_SHAPES;
	assert_true(ruby_values_add(&values, 18, &l));
	assert_string_equal(value("ruby_processes"), "1302.1.11.1.12.2");
	assert_string_equal(value("ruby_programs"),
		"40.78.a8.c.18.0.0.60.58.0.0.2000.555556000100.28.4.1.1.ffffffffffffffd8.0.0."
		"0.2.555556000200.10.0."
		"40.78.a8.c.18.0.1.60.58.0.2.2000.555556000100.28.4.1.1.ffffffffffffffd8.0.0."
		"0.0.0.0.0");
}

static void ruby_values__there_is_no_room_for_all(void **state)
{
	struct ruby_layout l = layout();
	uint32_t nr = 0;

	(void)state;
	while (nr < 5000 && ruby_values_add(&values, 0x100000 + nr, &l))
		nr++;
	assert_int_equal(nr, 4096 / strlen("100000.1."));
	for (nr = 0; nr < 5000; nr++) {
		l.ids += 8;
		ruby_values_add(&values, 1, &l);
	}
	assert_true(strlen(value("ruby_programs")) < 4096);
}

/* The tapset has the same numbers in the same order. */
static void ruby_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("ruby");
	size_t next = 0;

	(void)state;
#define NUMBER(name, ...) tapset_expect(&macros, "RUBY", #name, next++);
	RUBY_NUMBERS(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "RUBY", "ec", next);
	tapset_expect(&macros, "RUBY", "gc", next + 2 + PATH_STEPS);
	tapset_expect(&macros, "RUBY", "NUMBERS", next + 2 * (2 + PATH_STEPS));
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			ruby_values__what_is_equal_stands_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			ruby_values__there_is_no_room_for_all, set_up, tear_down),
		cmocka_unit_test(ruby_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
