/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/reader.h"
#include "runtime/native.h"
#include "unwind/walk.h"

#include <string.h>

/*
 * Guile's compiled code runs in one frame, below the C frame that entered it; calls between Scheme
 * procedures are jumps. Guile enters its compiled code through code that saves registers and jumps.
 *It is the first thing that is compiled, by libguile's lightening:
 *
 *	sub $24,%rsp; mov %rbx,(%rsp); mov %r12,8(%rsp); mov %r13,16(%rsp)
 */
static const uint8_t entry[] = {0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x1c, 0x24, 0x4c, 0x89, 0x64,
	0x24, 0x08, 0x4c, 0x89, 0x6c, 0x24, 0x10};

static const struct unwind_rule rule = {.cfa = UNWIND_CFA_CALLED,
	.reg = REG_SP,
	.offset = 32,
	.ra = -1,
	.fp_saved = UNWIND_SAME,
	.base_saved = UNWIND_AT_CFA,
	.base = -4,
	.lost = 1 << 0 | 1 << 1}; /* r12, r13 */

static bool find(const struct process *p, const struct mapping *area, struct jit_layout *layout)
{
	uint8_t code[sizeof(entry)];

	layout->rule = rule;
	return area->end - area->start >= sizeof(code) &&
	       reader_memory(p->pid, area->start, code, sizeof(code)) &&
	       !memcmp(code, entry, sizeof(entry));
}

const struct native guile_native = {.find_by_area = find};
