/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trampoline.h"
#include "lib/util.h"
#include "range.h"
#include "symbol/elf/elffile_internal.h"

#include <string.h>

enum { TRAMPOLINES_MAX = 16, CODE_MAX = 1 << 30 }; /* in a file; bytes to search */

const struct unwind_rule trampoline_rule = {
	.cfa = UNWIND_CFA_SIGNAL,
	.reg = REG_SP,
	.offset = CONTEXT_AT,
};

/* The code after the opcode of mov, which has two encodings. */
static const unsigned char tail[] = {15, 0, 0, 0, 0x0f, 0x05};

static size_t head_size(const unsigned char *code, const unsigned char *at)
{
	if (at - code >= 3 && at[-3] == 0x48 && at[-2] == 0xc7 && at[-1] == 0xc0)
		return 3;
	return at - code >= 1 && at[-1] == 0xb8;
}

void trampolines_put(
	struct unwind_ranges *ranges, const struct elf_code *code, size_t n, unsigned char source)
{
	size_t left = CODE_MAX;
	unsigned int nr = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = code[i].size < left ? code[i].size : left;
		const unsigned char *start = code[i].bytes, *end = start + size, *at = start;

		left -= size;
		while (nr < TRAMPOLINES_MAX &&
			(at = memmem(at, (size_t)(end - at), tail, sizeof(tail)))) {
			size_t head = head_size(start, at);

			if (head) {
				unwind_ranges_put(ranges,
					code[i].address + (uint64_t)(at - start) - head,
					head + sizeof(tail), source);
				nr++;
			}
			at += sizeof(tail);
		}
	}
}
