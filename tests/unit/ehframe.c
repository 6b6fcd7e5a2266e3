/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/x86_64/registers.h"
#include "symbol/elf/ehframe.h"
#include "symbol/elf/elffile_internal.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Returns whether the CFA at ADDRESS, by libdw, is not the stack pointer + 8. */
static bool has_frame(Dwarf_CFI *cfi, uint64_t address)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t nr;

	assert_int_equal(dwarf_cfi_addrframe(cfi, address, &frame), 0);
	bool has = dwarf_frame_cfa(frame, &ops, &nr) || nr != 1 || ops->atom != DW_OP_bregx ||
		   ops->number != REG_SP || ops->number2 != 8;

	free(frame);
	return has;
}

/* Compares a function that is found with what libdw finds. */
static void compare(const struct elffile *elf, uint64_t address)
{
	Dwarf_CFI *cfi = elffile_cfi(elf);
	struct ehframe_function f;
	Dwarf_Frame *frame;
	Dwarf_Addr start = 0;
	bool is_trampoline = false;
	bool is_found = !dwarf_cfi_addrframe(cfi, address, &frame);

	assert_int_equal(ehframe_function(elf, address, &f), is_found);
	if (!is_found)
		return;
	dwarf_frame_info(frame, &start, NULL, &is_trampoline);
	free(frame);
	assert_int_equal(f.is_trampoline, is_trampoline);
	assert_true(f.start <= address + is_trampoline);
	if (!is_trampoline)
		assert_int_equal(f.is_cold, has_frame(cfi, f.start));
}

/* Compares all functions of a file, at their ends. Returns their number. */
static unsigned compare_all(const char *path)
{
	struct elffile *elf = elffile_open(path, NULL);
	unsigned nr = 0;

	assert_non_null(elf);
	for (uint64_t at = ehframe_next(elf, 0), next; at; at = next, nr++) {
		next = ehframe_next(elf, at);
		compare(elf, at);
		compare(elf, at + 1);
		compare(elf, next ? next - 1 : at + 100);
	}
	elffile_close(elf);
	return nr;
}

static void ehframe_function__(void **state)
{
	Dl_info libc;

	(void)state;
	assert_true(compare_all("/proc/self/exe") > 100);
	assert_true(dladdr((const void *)(uintptr_t)qsort, &libc));
	assert_true(compare_all(libc.dli_fname) > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ehframe_function__),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
