/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from the assembly and the traces of LuaJIT. The interpreter and what C enters it by have a
 * frame of one size, which refers to the Lua thread, and the thread to it; their helpers and traces
 * run below it, traces by so many bytes as they spill registers to. Part of step.h.
 */
#ifndef UNWIND_LUAJIT_STEP_H
#define UNWIND_LUAJIT_STEP_H

#include "walk.h"

/* mov $0,%al; jmp .+122; mov $1,%al; jmp .+118: see luajit_callback() */
#define LUAJIT_SLOTS 0x76eb01b07aeb00b0

enum {
	LUAJIT_NEAR = 8,         /* words below the frame that helpers use, at most */
	LUAJIT_SPILLS = 192,     /* words of a trace's frame, at most */
	LUAJIT_ALIGNED = 16,     /* the frame */
	LUAJIT_THREADS = 0x10,   /* in the frame: the thread, or with 32-bit references … */
	LUAJIT_CFRAME = 0x50,    /* in the thread: the frame, with flags */
	LUAJIT_CFRAME_32 = 0x30, /* … the lower half of the next word, and this */
	LUAJIT_SAVED = 0x20,     /* in the frame: the outer one, with flags, r14, r15, rbx, … */
	LUAJIT_CFA = 0x50,       /* of the frame */
	LUAJIT_LOWEST = 1 << 16, /* no thread is below */
	LUAJIT_CODE = 8,         /* in w->saved */
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

/*
 * Code that C calls in place of Lua functions, in pages of their own: mov $NUMBER,%al; jmp; then
 * push %rbp, two more moves and a jump to the assembly.
 */
enum luajit_callback { LUAJIT_NO_CALLBACK, LUAJIT_CALLED, LUAJIT_PUSHED };

/* Whether the leaf is in such a page, and has pushed rbp. */
static inline enum luajit_callback luajit_callback(struct walk *w)
{
	const uint64_t pc = w->reg[REG_PC], page = pc & ~0xfffULL;
	uint64_t *code = w->saved;
	uint8_t first;

	if (WALK_READ_CODE(w, code, 8, page + 8) || *code != LUAJIT_SLOTS ||
		WALK_READ_CODE(w, code, 8, pc))
		return LUAJIT_NO_CALLBACK;
	first = (uint8_t)*code;
	return first == 0xb0 || first == 0xeb || first == 0x55 ? LUAJIT_CALLED : LUAJIT_PUSHED;
}

/* Whether THREAD has its frame at SP; CFRAME: where it says so. */
UNWIND_INLINE bool luajit_is_thread(struct walk *w, uint64_t thread, uint32_t cframe, uint64_t sp)
{
	uint64_t frame;

	return thread > LUAJIT_LOWEST && !(thread & 7) && !(thread >> 47) &&
	       !WALK_READ_CODE(w, &frame, 8, thread + cframe) && (frame & ~3ULL) == sp;
}

/*
 * Whether the interpreter's frame is at SP. Threads refer to their innermost one only, and that to
 * the next one.
 */
UNWIND_INLINE bool luajit_is_frame(struct walk *w, uint64_t sp)
{
	uint64_t *thread = w->saved;

	if (sp == w->vm.outer)
		return true;
	return !WALK_READ(w, thread, 16, sp + LUAJIT_THREADS) &&
	       (luajit_is_thread(w, thread[0], LUAJIT_CFRAME, sp) ||
		       luajit_is_thread(w, (uint32_t)thread[1], LUAJIT_CFRAME_32, sp));
}

/* The BPF programs have a function of their own for what is in a loop. */
#ifndef LUAJIT_IS_FRAME
#define LUAJIT_IS_FRAME(w, sp) luajit_is_frame(w, sp)
#endif

/*
 * Moves *SP up to the interpreter's frame; false: it is not there. It is aligned as the ABI
 * demands: other words would be taken for threads, and to read where nothing is mapped takes
 * microseconds.
 */
UNWIND_INLINE bool luajit_search(struct walk *w, uint64_t *sp)
{
	*sp = (*sp + LUAJIT_ALIGNED - 1) & ~(uint64_t)(LUAJIT_ALIGNED - 1);
	for (int i = 0; i < 8 * LUAJIT_SPILLS / LUAJIT_ALIGNED; i++, *sp += LUAJIT_ALIGNED)
		if (LUAJIT_IS_FRAME(w, *sp))
			return true;
	return false;
}

/* Remembers the walk's innermost frame of the interpreter. */
UNWIND_INLINE void luajit_remember(struct walk *w, uint64_t frame, bool compiled)
{
	if (w->vm.frame)
		return;
	w->vm.frame = frame;
	w->vm.pc = walk_pc(w);
	w->vm.leaf = !w->call && w->nr <= 1;
	w->vm.compiled = compiled;
	w->vm.fp = w->known & 1 << REG_FP ? w->reg[REG_FP] : 0;
	w->vm.bx = w->known & 1 << REG_BX && !w->bx_at ? w->reg[REG_BX] : 0;
}

/* As walk_is_return(), but does not take stack of the BPF programs. */
UNWIND_INLINE bool luajit_is_return(struct walk *w, uint64_t address)
{
	uint8_t *code = (uint8_t *)&w->saved[LUAJIT_CODE];

	return !WALK_READ_CODE(w, code, 7, address - 7) && walk_is_call(code);
}

/* Whether there is a return address at AT, then in w->saved. */
UNWIND_INLINE bool luajit_has_return(struct walk *w, uint64_t at)
{
	return !WALK_READ(w, w->saved, 8, at) && luajit_is_return(w, w->saved[0]);
}

/*
 * Remembers FRAME if it belongs to another thread than the last one: a function in C has resumed
 * that. What the interpreter resumes has its frame right below.
 */
UNWIND_INLINE void luajit_remember_thread(struct walk *w, uint64_t frame)
{
	struct walk_vm *vm = &w->vm;

	if (vm->frame && vm->frame != frame && vm->outer != frame && vm->left != frame &&
		vm->nr_threads < WALK_THREADS)
		vm->threads[vm->nr_threads++ & (WALK_THREADS - 1)] = frame;
}

/* To the caller of what has its frame at SP. */
UNWIND_INLINE int luajit_leave(struct walk *w, uint64_t sp)
{
	uint64_t *saved = w->saved;

	if (WALK_READ(w, saved, LUAJIT_CFA - LUAJIT_SAVED, sp + LUAJIT_SAVED))
		return WALK_NO_READ;
	if (!luajit_is_return(w, saved[5]))
		return WALK_NO_RULE;
	luajit_remember_thread(w, sp);
	w->vm.outer = saved[0] & ~3ULL;
	w->reg[14] = saved[1];
	w->reg[15] = saved[2];
	w->reg[REG_BX] = saved[3];
	w->reg[REG_FP] = saved[4];
	w->reg[REG_PC] = saved[5];
	w->reg[REG_SP] = w->vm.left = sp + LUAJIT_CFA;
	w->vm.nr++;
	w->bx_at = 0;
	w->known = 3 << 14 | 1 << REG_BX | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * How many registers are above the return address at rsp where a leaf's frame is not complete, or
 * not any more: push %rbp, %rbx, %r15, %r14; sub $0x28,%rsp and the reverse. CODE: at the leaf's
 * pc, the first byte lowest. -1: elsewhere.
 */
UNWIND_INLINE int luajit_edge(uint64_t code)
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

/*
 * To the caller of a leaf that has a return address, TO, at AT, and NR registers below. HELPER: the
 * interpreter or a trace may have called it; the registers are those of the former.
 */
UNWIND_INLINE int luajit_return(struct walk *w, uint64_t at, int nr, bool helper)
{
	uint64_t to = w->saved[0];

	if (helper && LUAJIT_IS_FRAME(w, at + 8)) /* not in a trace: its own frame is below that */
		luajit_remember(w, at + 8, false);
	if ((nr > 0 && WALK_READ(w, &w->reg[REG_FP], 8, at - 8)) ||
		(nr > 1 && WALK_READ(w, &w->reg[REG_BX], 8, at - 16)))
		return WALK_NO_READ;
	w->reg[REG_PC] = to;
	w->reg[REG_SP] = at + 8;
	w->known &= 1 << REG_BX | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * Whether the leaf has a return address at *AT: above *NR registers at the begin or the end of what
 * C calls, or at the end of a helper. *AT: rsp.
 */
UNWIND_INLINE bool luajit_is_edge(struct walk *w, uint64_t *at, int *nr, bool *helper)
{
	uint64_t *code = w->saved;

	if (WALK_READ_CODE(w, code, 8, w->reg[REG_PC]))
		return false;
	*nr = luajit_edge(*code);
	*helper = (*code & 0xff) == LUAJIT_RET;
	if (*nr < 0)
		return false;
	*at += 8 * (uint64_t)*nr;
	return luajit_has_return(w, *at);
}

/*
 * From LuaJIT's assembly, or, COMPILED, from a trace. Where a thread is about to get a frame, or to
 * lose it, or another one is switched to, it does not refer to it: then by the size of the frame.
 * Helpers have their return address in one of the first words. All return addresses are checked.
 */
UNWIND_INLINE int walk_by_luajit(struct walk *w, bool compiled)
{
	uint64_t sp = w->reg[REG_SP], at = sp;
	bool found, helper = true;
	int nr = 0;

	if (!w->call && !compiled && luajit_is_edge(w, &at, &nr, &helper))
		return luajit_return(w, at, nr, helper);
	at = w->reg[REG_SP];
	found = luajit_search(w, &sp);
	if (!compiled && (!found || sp - at >= 8 * LUAJIT_NEAR) &&
		luajit_has_return(w, at + LUAJIT_CFA - 8))
		return luajit_leave(w, at);
	if (!w->call && !compiled && sp != at &&
		(luajit_has_return(w, at) || luajit_has_return(w, at += 8)))
		return luajit_return(w, at, 0, true);
	if (!found)
		return WALK_NO_RULE;
	luajit_remember(w, sp, compiled);
	return w->vm.stop ? WALK_ON : luajit_leave(w, sp);
}

#endif
