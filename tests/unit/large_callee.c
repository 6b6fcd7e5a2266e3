/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds large functions of this program through the functions that lead to them. */
#include "symbol/elf/elffile.h"
#include "symbol/elf/large_callee.h"

#include "asm_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Assembly with its own unwind data: the sizes and calls do not depend on compiler options. */
__asm__(ASM_FUNCTIONS "begin large\n.fill 8192, 1, 0x90\nret\nend large\n"
		      "begin as_large\n.fill 5000, 1, 0x90\nret\nend as_large\n"
		      "begin calls_large\ncall large\nret\nend calls_large\n"
		      "begin through_one\n.byte 0xe9\n.long calls_large - . - 4\nend through_one\n"
		      "begin through_two\ncall through_one\nret\nend through_two\n"
		      "begin through_three\ncall through_two\nret\nend through_three\n"
		      "begin calls_both\ncall large\ncall as_large\nret\nend calls_both\n"
		      "begin calls_small\ncall small\nret\nend calls_small\n"
		      "begin small\n.fill 4000, 1, 0x90\nret\nend small\n");

static bool find(const char *name, struct elf_variable *function)
{
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	bool found = large_callee_find(elf, name, function);

	elffile_close(elf);
	return found;
}

static void finds__by_calls_and_jumps(void **state)
{
	static const char *const names[] = {"calls_large", "through_two"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct elf_variable f;

		assert_true(find(names[i], &f));
		assert_true(f.size >= 8193 && f.size < 8193 + 64);
	}
}

static void finds_not__what_is_not_by_far_the_largest(void **state)
{
	struct elf_variable f;

	(void)state;
	assert_false(find("through_three", &f)); /* too far */
	assert_false(find("calls_both", &f));
	assert_false(find("calls_small", &f));
	assert_false(find("large", &f)); /* calls nothing */
	assert_false(find("no such function", &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds__by_calls_and_jumps),
		cmocka_unit_test(finds_not__what_is_not_by_far_the_largest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
