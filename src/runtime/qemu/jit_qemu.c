/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_qemu.h"
#include "process/reader.h"
#include "runtime/native.h"
#include "unwind/walk.h"

#include <string.h>

/*
 * QEMU enters translated code through the code that is the first thing in its buffer:
 *
 *	push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15
 *	mov %rdi,%rbp; add $-SIZE,%rsp
 */
static const unsigned char begin[] = {0x55, 0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57,
	0x48, 0x8b, 0xef, 0x48, 0x81, 0xc4};

enum {
	ENTRY_SIZE = sizeof(begin) + 4,
	PUSHED = 7 * 8, /* bytes, with the return address */
	FRAME_MAX = 1 << 16,
};

bool jit_qemu_rule(const unsigned char *entry, struct unwind_rule *rule)
{
	int32_t moved;

	memcpy(&moved, entry + sizeof(begin), sizeof(moved));
	if (memcmp(entry, begin, sizeof(begin)) || moved > 0 || moved < -FRAME_MAX)
		return false;
	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_CALLED,
		.reg = REG_SP,
		.offset = PUSHED - moved,
		.ra = -1,
		.fp_saved = UNWIND_AT_CFA,
		.fp = -2,
		.base_saved = UNWIND_AT_CFA,
		.base = -3,
		.lost = 15}; /* r12 to r15 */
	return true;
}

static bool find(const struct process *p, const struct mapping *area, struct jit_layout *layout)
{
	unsigned char code[ENTRY_SIZE];

	return area->end - area->start >= sizeof(code) &&
	       reader_memory(p->pid, area->start, code, sizeof(code)) &&
	       jit_qemu_rule(code, &layout->rule);
}

const struct native qemu_native = {.find_by_area = find};
