/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data by which scripts find Perl, as variables of our scripts. */
#include "runtime/perl/perl_values.h"
#include "values_test.h"

/* Every number of the shape is different, the first is 1. */
static struct perl_layout layout(void)
{
	struct perl_layout l = {
		.threads = true,
		.interpreter = {true, 2, {(uint64_t)-8, 0x318}},
		.curcop = 0xd0,
		.curstackinfo = 0xe0,
		.op = 8,
		.stack_sp = 0,
	};
	uint32_t next = 1;

#define NUMBER(name, ...) l.shape.name = next++;
	PERL_SHAPE_ALL(NUMBER)
#undef NUMBER
	return l;
}

static void perl_values__nothing_without_processes(void **state)
{
	(void)state;
	vm_values_give(&values, &argv);
	assert_int_equal(argv.nr, 0);
}

static void perl_values__what_is_equal_stands_once(void **state)
{
	struct perl_layout l = layout();

	(void)state;
	assert_true(perl_values_add(&values, 0x1302, &l));
	assert_true(perl_values_add(&values, 17, &l));
	l.interpreter = (struct pointer_path){false, 0, {0}};
	l.curcop = 0x555555556000;
	assert_true(perl_values_add(&values, 18, &l));
	l.threads = false;
	l.shape.curcop = 77;
	assert_true(perl_values_add(&values, 19, &l));
	assert_string_equal(value("perl_processes"), "1302.1.11.1.12.2.13.3");
	assert_string_equal(value("perl_paths"), "1.1.1.2.fffffffffffffff8.318.0.d0.e0.8.0."
						 "1.1.0.0.0.0.0.555555556000.e0.8.0."
						 "2.0.0.0.0.0.0.555555556000.e0.8.0");
	assert_memory_equal(value("perl_shapes"), "1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10.11.", 35);
	assert_non_null(strstr(value("perl_shapes"), ".33.34.35.4d.2.3.4."));
}

static void perl_values__there_is_no_room_for_all(void **state)
{
	struct perl_layout l = layout();
	uint32_t nr = 0;

	(void)state;
	while (nr < 5000 && perl_values_add(&values, 0x100000 + nr, &l))
		nr++;
	assert_int_equal(nr, 4096 / strlen("100000.1."));
	assert_true(strlen(value("perl_processes")) < 4096);
	for (nr = 0; nr < 5000; nr++) {
		l.shape.CVf_LEXICAL = 0x1000000 + nr;
		perl_values_add(&values, 1, &l);
	}
	assert_true(strlen(value("perl_shapes")) < 4096);
	assert_true(strlen(value("perl_paths")) < 4096);
}

/* The tapset has the same numbers in the same order. */
static void perl_values__numbers_of_the_tapset(void **state)
{
	struct tapset_macros macros = tapset_open("perl");
	size_t next = 0;

	(void)state;
#define NUMBER(name, ...) tapset_expect(&macros, "PERL", #name, next++);
	PERL_SHAPE_ALL(NUMBER)
#undef NUMBER
	tapset_expect(&macros, "PERL", "threads", next++);
	tapset_expect(&macros, "PERL", "per_thread", next++);
	tapset_expect(&macros, "PERL", "steps", next++);
	tapset_expect(&macros, "PERL", "step", next++);
	tapset_close(&macros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			perl_values__nothing_without_processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			perl_values__what_is_equal_stands_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			perl_values__there_is_no_room_for_all, set_up, tear_down),
		cmocka_unit_test(perl_values__numbers_of_the_tapset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
