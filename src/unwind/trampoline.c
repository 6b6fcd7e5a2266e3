/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trampoline.h"
#include "arch/x86_64/code_shapes.h"
#include "lib/util.h"
#include "range.h"
#include "symbol/elf/elffile_internal.h"

enum { TRAMPOLINES_MAX = 16, CODE_MAX = 1 << 30 }; /* in a file; bytes to search */

const struct unwind_rule trampoline_rule = {
	.cfa = UNWIND_CFA_SIGNAL,
	.reg = REG_SP,
	.offset = CONTEXT_AT,
};

void trampolines_put(
	struct unwind_ranges *ranges, const struct elf_code *code, size_t n, unsigned char source)
{
	size_t left = CODE_MAX;
	unsigned int nr = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = code[i].size < left ? code[i].size : left, at = 0, found;

		left -= size;
		while (nr < TRAMPOLINES_MAX &&
			(found = shape_sigreturn(code[i].bytes, size, &at))) {
			unwind_ranges_put(ranges, code[i].address + at, found, source);
			nr++;
			at += found;
		}
	}
}
