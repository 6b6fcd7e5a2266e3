/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code in memory that is not mapped from a file: it was compiled at run time and has no rules. The
 * machine code before an address tells whether the function there keeps a frame pointer: the
 * nearest beginning of a function is searched. Part of native_step.h.
 */
#ifndef RUNTIME_JIT_STEP_H
#define RUNTIME_JIT_STEP_H

#include "arch/x86_64/jit_code.h"
#include "jit_layout.h"
#include "native_list.h"
#include "unwind/step.h"

enum {
	JIT_BLOCK = WALK_CODE, /* bytes that are searched at once */
	JIT_PART = 16,         /* bytes that one part of that search examines */
	JIT_OVERLAP = 7,       /* bytes that two consecutive blocks share */
	JIT_BLOCKS = 24,       /* 6 KB; larger functions are not understood */
};

/* Returns the 8 bytes of w->code from AT on, a multiple of 8, the first byte lowest. */
UNWIND_INLINE uint64_t jit_bytes(const struct walk *w, uint64_t at)
{
	const void *code = &w->code[UNWIND_INDEX(at, WALK_CODE)];
	uint64_t bytes;

	__builtin_memcpy(&bytes, __builtin_assume_aligned(code, sizeof(bytes)), sizeof(bytes));
	return bytes;
}

/*
 * Returns what the last marker that begins in the JIT_PART bytes of w->code from AT on tells. AFTER
 * is the 8 bytes behind them, the first byte lowest.
 */
WALK_PART_2(jit_search_part, at, after)
{
	for (uint64_t i = JIT_PART; i-- > 0;) {
		after = after << 8 | w->code[UNWIND_INDEX(at + i, WALK_CODE)];
		enum jit_found marker = jit_marker(after);

		if (marker)
			return marker;
	}
	return JIT_NOTHING;
}

/* Makes the rule of code of which only FOUND is known. */
UNWIND_INLINE struct unwind_rule jit_code_rule(enum jit_found found)
{
	return (struct unwind_rule){.cfa = RUNTIME_CFA(UNKNOWN), .index = (uint8_t)found};
}

/*
 * The caller's rsp is OFFSET bytes above REG. With FP_SAVED, its rbp is below the return address.
 */
UNWIND_INLINE struct unwind_rule jit_frame_rule(uint8_t reg, int32_t offset, bool fp_saved)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_REG,
		.lost = 0xf,
		.reg = reg,
		.offset = offset,
		.fp_saved = fp_saved ? UNWIND_AT_CFA : UNWIND_SAME,
		.fp = -2,
		.base_saved = UNWIND_LOST,
		.ra = -1};
}

/* Searches the JIT_BLOCK bytes of code before END. Returns JIT_UNKNOWN if they cannot be read. */
WALK_PART_1(jit_search_block, end)
{
	if (WALK_READ_CODE(w, w->code, JIT_BLOCK, end - JIT_BLOCK))
		return JIT_UNKNOWN;
	for (uint64_t at = JIT_BLOCK; at > 0; at -= JIT_PART) {
		uint64_t after = at < JIT_BLOCK ? jit_bytes(w, at) : 0,
			 found = jit_search_part(w, at - JIT_PART, after);

		if (found)
			return found;
	}
	return JIT_NOTHING;
}

/* Returns what the code from START to the walk's pc tells. */
UNWIND_INLINE enum jit_found jit_search_code(struct walk *w, uint64_t start)
{
	uint64_t end = walk_pc(w);

	for (int i = 0; i < JIT_BLOCKS; i++, end -= JIT_BLOCK - JIT_OVERLAP) {
		uint64_t found = end - JIT_BLOCK < start ? JIT_UNKNOWN : jit_search_block(w, end);

		if (found)
			return (enum jit_found)found;
	}
	return JIT_UNKNOWN;
}

/* Steps from a leaf, compiled at run time, whose frame is not complete or has been released. */
WALK_PART(walk_by_edge)
{
	uint64_t *code = w->saved, *pair = code + JIT_PEEK_SIZE / 8;
	struct jit_edge edge;

	if (WALK_READ_CODE(w, code, JIT_PEEK_SIZE, w->reg[REG_PC] - JIT_PEEK))
		return WALK_NO_RULE;
	edge = jit_peek(code[0], code[1], code[2]);
	if (!edge.is_edge || WALK_READ(w, &pair[1], 8, w->reg[REG_SP] + edge.ra) ||
		(edge.fp_saved && WALK_READ(w, &pair[0], 8, w->reg[REG_SP] + edge.ra - 8)))
		return WALK_NO_RULE;
	if (edge.fp_saved)
		w->reg[REG_FP] = pair[0];
	w->reg[REG_SP] += edge.ra + 8;
	w->reg[REG_PC] = pair[1];
	w->known &= 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * Steps from code compiled at run time, of which FOUND is known. Interpreters return to
 * places that do not follow a call, so the frame pointers of such code are followed to any higher
 * address. If a function keeps no frame pointer, rbp may belong to any outer frame, and the stack
 * is cut.
 */
static inline int walk_by_jit(struct walk *w, enum jit_found found)
{
	int end = w->call ? WALK_NO_RULE : (int)walk_by_edge(w);

	if (end != WALK_NO_RULE || found == JIT_NO_FRAME)
		return end;
	return found == JIT_FRAME ? walk_by_frame(w, WALK_JIT_MAX, false) : walk_by_fp(w);
}

#endif
