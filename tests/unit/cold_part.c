/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the parts of functions of this program that are elsewhere. */
#include "symbol/elf/cold_part.h"
#include "symbol/elf/elffile.h"

#include "asm_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Assembly with its own unwind data: what is elsewhere does not depend on compiler options. */
__asm__(ASM_FUNCTIONS
	"begin by_condition\npush %rbx\n.cfi_def_cfa_offset 16\ntest %edi, %edi\n"
	".byte 0x0f, 0x85\n.long inside_first - . - 4\npop %rbx\n.cfi_def_cfa_offset 8\nret\n"
	"end by_condition\n"
	"begin by_jump\npush %rbx\n.cfi_def_cfa_offset 16\n.byte 0xe9\n.long second - . - 4\n"
	"end by_jump\n"
	"begin calls\n.byte 0xe9\n.long by_jump - . - 4\nend calls\n"
	"begin whole\n.byte 0xe9\n.long 1f - . - 4\n1: ret\nend whole\n"
	".globl first\nfirst: .cfi_startproc\n.cfi_def_cfa_offset 16\nnop\n"
	"inside_first: .fill 40, 1, 0x90\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
	".globl second\nsecond: .cfi_startproc\n.cfi_def_cfa_offset 16\npop %rbx\n"
	".cfi_def_cfa_offset 8\nret\n.cfi_endproc\n");

static bool find(const char *name, struct elf_variable *part)
{
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	bool found = cold_part_find(elf, name, part);

	elffile_close(elf);
	return found;
}

static uint64_t address_of(const char *name)
{
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	struct elf_variable v;

	assert_true(elfdata_variable(elf, name, &v));
	elffile_close(elf);
	return v.address;
}

static void finds__by_jumps(void **state)
{
	struct elf_variable part;

	(void)state;
	assert_true(find("by_condition", &part));
	assert_int_equal(part.address, address_of("first"));
	assert_int_equal(part.size, 43); /* nop, .fill, pop, ret */
	assert_true(find("by_jump", &part));
	assert_int_equal(part.address, address_of("second"));
	assert_true(part.size >= 2);
}

static void finds_not__functions(void **state)
{
	struct elf_variable part;

	(void)state;
	assert_false(find("calls", &part)); /* its last call is a jump */
	assert_false(find("whole", &part));
	assert_false(find("no such function", &part));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds__by_jumps),
		cmocka_unit_test(finds_not__functions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
