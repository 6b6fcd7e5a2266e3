/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_pypy.h"
#include "lib/util.h"
#include "process/reader.h"
#include "runtime/native.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>

enum {
	SEARCHED = 64 << 10, /* bytes of a mapping; loops begin behind about 6 KB of helpers */
	BEGIN_SIZE = 16,
	FRAME_MAX = 4096,
};

/*
 * A loop begins with sub $SIZE,%rsp; mov %rbp,SLOT(%rsp); mov %rsi,…(%rsp). SIZE has 4 bytes and
 * SLOT has 1. The last instruction saves the thread's data, above the frame's variables.
 */
static bool is_begin(const unsigned char *code)
{
	static const unsigned char sub[] = {0x48, 0x81, 0xec}, save[] = {0x48, 0x89, 0x6c, 0x24},
				   thread[] = {0x48, 0x89, 0xb4, 0x24};

	return !memcmp(code, sub, sizeof(sub)) && !memcmp(code + 7, save, sizeof(save)) &&
	       !memcmp(code + 12, thread, sizeof(thread));
}

bool jit_pypy_rule(const unsigned char *code, size_t size, struct unwind_rule *rule)
{
	for (size_t at = 0; at + BEGIN_SIZE <= size; at++) {
		int32_t frame;
		int slot;

		if (!is_begin(code + at))
			continue;
		memcpy(&frame, code + at + 3, sizeof(frame));
		slot = code[at + 11];
		if (frame <= slot || frame > FRAME_MAX || frame % 8 || slot % 8)
			return false;
		*rule = (struct unwind_rule){.cfa = UNWIND_CFA_CALLED,
			.reg = REG_SP,
			.offset = frame + 8,
			.ra = -1,
			.fp_saved = UNWIND_AT_CFA,
			.fp = (int16_t)((slot - frame - 8) / 8),
			.base_saved = UNWIND_LOST,
			.lost = 15}; /* r12 to r15 */
		return true;
	}
	return false;
}

static bool find(const struct process *p, const struct mapping *area, struct jit_layout *layout)
{
	uint64_t size = area->end - area->start;
	unsigned char *code = xmalloc(SEARCHED);
	bool found;

	size = size < SEARCHED ? size : SEARCHED;
	found = reader_memory(p->pid, area->start, code, size) &&
		jit_pypy_rule(code, size, &layout->rule);
	free(code);
	return found;
}

const struct native pypy_native = {.find_by_area = find};
