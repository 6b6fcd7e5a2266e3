/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from the assembly and the traces of LuaJIT. The interpreter and what C enters it by have a
 * frame of one size, which refers to the Lua thread, and the thread to it; their helpers and traces
 * run below it, traces by so many bytes as they spill registers to. Part of step.h.
 */
#ifndef UNWIND_LUAJIT_STEP_H
#define UNWIND_LUAJIT_STEP_H

#include "walk.h"

enum {
	LUAJIT_NEAR = 8,         /* words below the frame that helpers use, at most */
	LUAJIT_SPILLS = 192,     /* words of a trace's frame, at most */
	LUAJIT_THREADS = 0x10,   /* in the frame: the thread, or with 32-bit references … */
	LUAJIT_CFRAME = 0x50,    /* in the thread: the frame, with flags */
	LUAJIT_CFRAME_32 = 0x30, /* … the upper half of the next word, and this */
	LUAJIT_SAVED = 0x28,     /* in the frame: r14, r15, rbx, rbp, return address */
	LUAJIT_CFA = 0x50,       /* of the frame */
	LUAJIT_LOWEST = 1 << 16, /* no thread is below */
	LUAJIT_RET = 0xc3,       /* instruction */
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

/* Whether THREAD has its frame at SP; CFRAME: where it says so. */
static inline bool luajit_is_thread(struct walk *w, uint64_t thread, uint32_t cframe, uint64_t sp)
{
	uint64_t frame;

	return thread > LUAJIT_LOWEST && !(thread & 7) && !(thread >> 47) &&
	       !WALK_READ_CODE(w, &frame, 8, thread + cframe) && (frame & ~3ULL) == sp;
}

/* Whether the interpreter's frame is at SP. */
static inline bool luajit_is_frame(struct walk *w, uint64_t sp)
{
	uint64_t *thread = w->saved;

	return !WALK_READ(w, thread, 16, sp + LUAJIT_THREADS) &&
	       (luajit_is_thread(w, thread[0], LUAJIT_CFRAME, sp) ||
		       luajit_is_thread(w, (uint32_t)thread[1], LUAJIT_CFRAME_32, sp));
}

/* Moves *SP up by less than NR words to the interpreter's frame; false: it is not there. */
static inline bool luajit_search(struct walk *w, uint64_t *sp, int nr)
{
	for (int i = 0; i < nr; i++, *sp += 8)
		if (luajit_is_frame(w, *sp))
			return true;
	return false;
}

/* Remembers the walk's innermost frame of the interpreter. */
static inline void luajit_remember(struct walk *w, uint64_t frame, bool compiled)
{
	if (w->vm.frame)
		return;
	w->vm.frame = frame;
	w->vm.pc = walk_pc(w);
	w->vm.leaf = !w->call && w->nr <= 1;
	w->vm.compiled = compiled;
}

/* Whether there is a return address at AT, then in w->saved. */
static inline bool luajit_is_return(struct walk *w, uint64_t at)
{
	return !WALK_READ(w, w->saved, 8, at) && walk_is_return(w, w->saved[0]);
}

/* To the caller of what has its frame at SP. */
static inline int luajit_leave(struct walk *w, uint64_t sp)
{
	uint64_t *saved = w->saved;

	if (WALK_READ(w, saved, LUAJIT_CFA - LUAJIT_SAVED, sp + LUAJIT_SAVED))
		return WALK_NO_READ;
	if (!walk_is_return(w, saved[4]))
		return WALK_NO_RULE;
	w->reg[14] = saved[0];
	w->reg[15] = saved[1];
	w->reg[REG_BX] = saved[2];
	w->reg[REG_FP] = saved[3];
	w->reg[REG_PC] = saved[4];
	w->reg[REG_SP] = sp + LUAJIT_CFA;
	w->vm.nr++;
	w->bx_at = 0;
	w->known = 3 << 14 | 1 << REG_BX | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/* By the frame at SP or above; COMPILED: from a trace. */
static inline int luajit_by_search(struct walk *w, uint64_t sp, bool compiled)
{
	if (!luajit_search(w, &sp, LUAJIT_SPILLS))
		return WALK_NO_RULE;
	luajit_remember(w, sp, compiled);
	return luajit_leave(w, sp);
}

/* From a trace. */
static inline int walk_by_trace(struct walk *w)
{
	return luajit_by_search(w, w->reg[REG_SP], true);
}

/*
 * How many registers are above the return address at rsp where a leaf's frame is not complete, or
 * not any more: push %rbp, %rbx, %r15, %r14; sub $0x28,%rsp and the reverse. CODE: at the leaf's
 * pc, the first byte lowest. -1: elsewhere.
 */
static inline int luajit_edge(uint64_t code)
{
	const uint64_t six = code & 0xffffffffffff;
	const uint32_t four = (uint32_t)code, two = code & 0xffff;

	if (code == 0x8348564157415355 || (code & 0xff) == LUAJIT_RET)
		return 0;
	if (code == 0xec83485641574153 || two == 0xc35d || two == 0xe95d)
		return 1;
	if (code == 0x28ec834856415741 || two == 0x5d5b)
		return 2;
	if (six == 0x28ec83485641 || four == 0x5d5b5f41)
		return 3;
	return four == 0x28ec8348 || six == 0x5d5b5f415e41 ? 4 : -1;
}

/* To the caller of a leaf with NR registers below its return address, which w->saved[0] is. */
static inline int luajit_return(struct walk *w, uint64_t nr)
{
	uint64_t at = w->reg[REG_SP] + 8 * nr;

	w->reg[REG_PC] = w->saved[0];
	if ((nr > 0 && WALK_READ(w, &w->reg[REG_FP], 8, at - 8)) ||
		(nr > 1 && WALK_READ(w, &w->reg[REG_BX], 8, at - 16)))
		return WALK_NO_READ;
	w->reg[REG_SP] = at + 8;
	w->known &= 1 << REG_BX | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * A leaf that the interpreter or a trace has called, by the return address in one of the first
 * words. The registers are those of the interpreter. WALK_NO_RULE: there is none.
 */
static inline int luajit_helper(struct walk *w)
{
	uint64_t at = w->reg[REG_SP], to;

	if (!luajit_is_return(w, at) && !luajit_is_return(w, at += 8))
		return WALK_NO_RULE;
	to = w->saved[0];
	if (luajit_is_frame(w, at + 8)) /* not in a trace: its own frame is below that */
		luajit_remember(w, at + 8, false);
	w->reg[REG_PC] = to;
	w->reg[REG_SP] = at + 8;
	w->known = 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/* A leaf at the begin or the end of what C calls, or at the end of a helper. */
static inline int luajit_leaf(struct walk *w)
{
	uint64_t code;
	int nr;

	if (WALK_READ_CODE(w, &code, 8, w->reg[REG_PC]))
		return WALK_NO_RULE;
	nr = luajit_edge(code);
	if (nr < 0 || !luajit_is_return(w, w->reg[REG_SP] + 8 * (uint64_t)nr))
		return WALK_NO_RULE;
	return (code & 0xff) == LUAJIT_RET ? luajit_helper(w) : luajit_return(w, (uint64_t)nr);
}

/*
 * From LuaJIT's assembly. Where a thread is about to get a frame, or to lose it, or is switched to
 * another one, it does not refer to it: then by the size of the frame. The return address in that
 * place is checked, and so are all.
 */
static inline int walk_by_luajit(struct walk *w)
{
	uint64_t sp = w->reg[REG_SP];
	int end = w->call ? WALK_NO_RULE : luajit_leaf(w);

	if (end != WALK_NO_RULE)
		return end;
	if (luajit_search(w, &sp, LUAJIT_NEAR)) {
		if (!w->call && sp != w->reg[REG_SP])
			end = luajit_helper(w);
		if (end != WALK_NO_RULE)
			return end;
		luajit_remember(w, sp, false);
		return luajit_leave(w, sp);
	}
	if (luajit_is_return(w, w->reg[REG_SP] + LUAJIT_CFA - 8))
		return luajit_leave(w, w->reg[REG_SP]);
	if (!w->call)
		end = luajit_helper(w);
	return end == WALK_NO_RULE ? luajit_by_search(w, sp, false) : end;
}

#endif
