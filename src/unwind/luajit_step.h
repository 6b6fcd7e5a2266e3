/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from traces of LuaJIT (2.1 with 64-bit references). A trace runs below the frame of the
 * interpreter that it was entered from, by so many bytes as it spills registers to. That frame
 * refers to the Lua thread, and the thread to it. Part of jit_rule.h.
 */
#ifndef UNWIND_LUAJIT_STEP_H
#define UNWIND_LUAJIT_STEP_H

#include "walk.h"

enum {
	LUAJIT_SPILLS = 192,     /* words of a trace's frame, at most */
	LUAJIT_THREAD = 0x10,    /* in the interpreter's frame */
	LUAJIT_CFRAME = 0x50,    /* in the thread: the frame, with flags */
	LUAJIT_CFA = 0x50,       /* of the interpreter's frame */
	LUAJIT_LOWEST = 1 << 16, /* no thread is below */
};

/*
 * Whether the walk's mapping has traces. Areas of them begin with the address of the next one and
 * their size; other compilers, such as PCRE's, may run in the same process.
 */
static inline bool luajit_is_area(struct walk *w)
{
	uint64_t head[2], size = w->map.end - w->map.start;

	return !WALK_READ_CODE(w, head, sizeof(head), w->map.start) && !(head[0] & 0xfff) &&
	       !(head[1] & 0xfff) && head[1] && head[1] <= size;
}

/* Whether the interpreter's frame is at SP. */
static inline bool luajit_is_frame(struct walk *w, uint64_t sp)
{
	uint64_t thread, frame;

	return !WALK_READ(w, &thread, 8, sp + LUAJIT_THREAD) && thread > LUAJIT_LOWEST &&
	       !(thread & 7) && !(thread >> 47) &&
	       !WALK_READ_CODE(w, &frame, 8, thread + LUAJIT_CFRAME) && (frame & ~3ULL) == sp;
}

static inline int walk_by_luajit(struct walk *w)
{
	uint64_t sp = w->reg[REG_SP], saved[4]; /* r15, rbx, rbp, return address */
	int i;

	for (i = 0; i < LUAJIT_SPILLS; i++, sp += 8)
		if (luajit_is_frame(w, sp))
			break;
	if (i == LUAJIT_SPILLS)
		return WALK_NO_RULE;
	if (WALK_READ(w, saved, sizeof(saved), sp + LUAJIT_CFA - sizeof(saved)))
		return WALK_NO_READ;
	if (!walk_is_return(w, saved[3]))
		return WALK_NO_RULE;
	w->reg[REG_BX] = saved[1];
	w->reg[REG_FP] = saved[2];
	w->reg[REG_PC] = saved[3];
	w->reg[REG_SP] = sp + LUAJIT_CFA;
	w->bx_at = 0;
	w->known = 1 << REG_BX | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

#endif
