/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from the assembly and the traces of LuaJIT. The interpreter, and the assembly by which C
 * enters it, have a frame of constant size. The frame refers to the Lua thread, and the thread to
 * the frame. The helpers of the interpreter run below this frame, and so do traces, which reserve
 * as many bytes as they spill registers to. Part of native_step.h.
 */
#ifndef RUNTIME_LUA_LUAJIT_STEP_H
#define RUNTIME_LUA_LUAJIT_STEP_H

#include "runtime/jit_step.h"

/*
 * The words in struct walk_vm, where a frame's address is rsp in the interpreter's frame, or in the
 * interpreter's frame that entered a trace.
 */
enum luajit_word {
	LUAJIT_OUTER, /* the same thread's next outer frame, or 0 if none was passed or is left */
	LUAJIT_LEFT,  /* where the stack of the last frame's caller begins */
};

/* mov $0,%al; jmp .+122; mov $1,%al; jmp .+118, see luajit_callback() */
#define LUAJIT_SLOTS 0x76eb01b07aeb00b0

enum {
	LUAJIT_NEAR = 8,         /* limit of words that helpers use below the frame */
	LUAJIT_SPILLS = 192,     /* limit of words in a trace's frame */
	LUAJIT_ALIGNED = 16,     /* alignment of the frame */
	LUAJIT_THREADS = 0x10,   /* in the frame: two words, see luajit_is_frame() */
	LUAJIT_CFRAME = 0x50,    /* in the thread: the frame, with flags */
	LUAJIT_CFRAME_32 = 0x30, /* the same with references of 32 bits */
	LUAJIT_SAVED = 0x20,     /* in the frame: the outer frame with flags, r14, r15, rbx, … */
	LUAJIT_CFA = 0x50,       /* distance from the frame to its CFA */
	LUAJIT_LOWEST = 1 << 16, /* no thread is below this address */
	LUAJIT_CODE = 8,         /* index of code in w->saved */
	LUAJIT_RET = 0xc3,       /* opcode of ret */
};

/*
 * Returns true if the walk's mapping has traces. An area of traces begins with the address of the
 * next area and its own size. The check is necessary because other compilers, such as PCRE's, may
 * run in the same process.
 */
static inline bool luajit_is_area(struct walk *w)
{
	uint64_t head[2], size = w->map.end - w->map.start;

	return !WALK_READ_CODE(w, head, sizeof(head), w->map.start) && !(head[0] & 0xfff) &&
	       !(head[1] & 0xfff) && head[1] && head[1] <= size;
}

/*
 * Code that C calls in place of Lua functions, in separate pages: mov $NUMBER,%al; jmp; then push
 * %rbp, two more moves and a jump to the assembly.
 */
enum luajit_callback { LUAJIT_NO_CALLBACK, LUAJIT_CALLED, LUAJIT_PUSHED };

/* Tells whether the leaf is in such a page, and whether it has pushed rbp. */
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

/* Returns true if THREAD has its frame at SP, according to the word at offset CFRAME. */
UNWIND_INLINE bool luajit_is_thread(struct walk *w, uint64_t thread, uint32_t cframe, uint64_t sp)
{
	uint64_t frame;

	return thread > LUAJIT_LOWEST && !(thread & 7) && !(thread >> 47) &&
	       !WALK_READ_CODE(w, &frame, 8, thread + cframe) && (frame & ~3ULL) == sp;
}

/*
 * Returns true if the interpreter's frame is at SP. The first of its two words refers to the thread
 * or, if references have 32 bits, the lower half of the second one. A thread refers to its
 * innermost frame only, and each frame to the next outer one.
 */
WALK_PART_1(luajit_is_frame, sp)
{
	uint64_t *thread = w->saved;

	if (sp == w->vm.word[LUAJIT_OUTER])
		return true;
	return !WALK_READ(w, thread, 16, sp + LUAJIT_THREADS) &&
	       (luajit_is_thread(w, thread[0], LUAJIT_CFRAME, sp) ||
		       luajit_is_thread(w, (uint32_t)thread[1], LUAJIT_CFRAME_32, sp));
}

/*
 * Returns the address of the interpreter's frame, from SP up, or 0 if there is none. Only addresses
 * that are aligned as the ABI requires are tried: other words would be mistaken for threads, and a
 * read where nothing is mapped takes microseconds.
 */
WALK_PART_1(luajit_search, sp)
{
	sp = (sp + LUAJIT_ALIGNED - 1) & ~(uint64_t)(LUAJIT_ALIGNED - 1);
	for (int i = 0; i < 8 * LUAJIT_SPILLS / LUAJIT_ALIGNED; i++, sp += LUAJIT_ALIGNED)
		if (luajit_is_frame(w, sp))
			return sp;
	return 0;
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
	w->vm.base = w->known & 1 << REG_BASE && !w->base_at ? w->reg[REG_BASE] : 0;
}

/* Works like walk_is_return(), but uses no stack of the BPF programs. */
UNWIND_INLINE bool luajit_is_return(struct walk *w, uint64_t address)
{
	uint8_t *code = (uint8_t *)&w->saved[LUAJIT_CODE];

	return !WALK_READ_CODE(w, code, CODE_CALL_MAX, address - CODE_CALL_MAX) &&
	       code_is_call(code);
}

/* Returns true if there is a return address at AT; it is then in w->saved[0]. */
UNWIND_INLINE bool luajit_has_return(struct walk *w, uint64_t at)
{
	return !WALK_READ(w, w->saved, 8, at) && luajit_is_return(w, w->saved[0]);
}

/*
 * Remembers FRAME if its thread differs from the thread of the last frame, which a function in C
 * has resumed. A thread that the interpreter resumes has its frame directly below the interpreter's
 * frame.
 */
UNWIND_INLINE void luajit_remember_thread(struct walk *w, uint64_t frame)
{
	struct walk_vm *vm = &w->vm;

	if (vm->frame && vm->frame != frame && vm->word[LUAJIT_OUTER] != frame &&
		vm->word[LUAJIT_LEFT] != frame && vm->nr_threads < WALK_THREADS)
		vm->threads[vm->nr_threads++ & (WALK_THREADS - 1)] = frame;
}

/* Steps to the caller of the code whose frame is at SP. */
UNWIND_INLINE int luajit_leave(struct walk *w, uint64_t sp)
{
	uint64_t *saved = w->saved;

	if (WALK_READ(w, saved, LUAJIT_CFA - LUAJIT_SAVED, sp + LUAJIT_SAVED))
		return WALK_NO_READ;
	if (!luajit_is_return(w, saved[5]))
		return WALK_NO_RULE;
	luajit_remember_thread(w, sp);
	w->vm.word[LUAJIT_OUTER] = saved[0] & ~3ULL;
	w->reg[X86_R14] = saved[1];
	w->reg[X86_R15] = saved[2];
	w->reg[REG_BASE] = saved[3];
	w->reg[REG_FP] = saved[4];
	w->reg[REG_PC] = saved[5];
	w->reg[REG_SP] = w->vm.word[LUAJIT_LEFT] = sp + LUAJIT_CFA;
	w->vm.nr++;
	w->base_at = 0;
	w->known = 1 << X86_R14 | 1 << X86_R15 | 1 << REG_BASE | 1 << REG_FP | 1 << REG_SP |
		   1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * Returns the number of registers between rsp and the return address of a leaf whose frame is not
 * complete, or partly released: in push %rbp, %rbx, %r15, %r14; sub $0x28,%rsp or in the reverse.
 * Returns -1 elsewhere. CODE is the code at the leaf's pc, the first byte lowest.
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
 * Steps to the caller of a leaf that has its return address, w->saved[0], at AT, and NR registers
 * below it. With HELPER, its caller may be the interpreter, whose registers are then valid, or a
 * trace.
 */
UNWIND_INLINE int luajit_return(struct walk *w, uint64_t at, int nr, bool helper)
{
	uint64_t to = w->saved[0];

	if (helper && luajit_is_frame(w, at + 8)) /* false in a trace */
		luajit_remember(w, at + 8, false);
	if ((nr > 0 && WALK_READ(w, &w->reg[REG_FP], 8, at - 8)) ||
		(nr > 1 && WALK_READ(w, &w->reg[REG_BASE], 8, at - 16)))
		return WALK_NO_READ;
	w->reg[REG_PC] = to;
	w->reg[REG_SP] = at + 8;
	w->known &= 1 << REG_BASE | 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * Returns true if the leaf has a return address at *AT, above *NR saved registers: at the beginning
 * or the end of code that C calls, or at the end of a helper. *AT is rsp at first.
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
 * Steps from LuaJIT's assembly or, with offset 0 in the rule, from a trace. While a thread is about
 * to get or to lose a frame, or another thread is switched to, the thread does not refer to the
 * frame; the step then uses the size of the frame. Helpers have their return address in one of the
 * first two words. All return addresses are checked.
 */
static inline int luajit_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r)
{
	uint64_t sp, at = w->reg[REG_SP];
	bool helper = true, compiled = !r->offset;
	int nr = 0;

	(void)layout;
	if (!w->call && !compiled && luajit_is_edge(w, &at, &nr, &helper))
		return luajit_return(w, at, nr, helper);
	at = w->reg[REG_SP];
	sp = luajit_search(w, at);
	if (!compiled && (!sp || sp - at >= 8 * LUAJIT_NEAR) &&
		luajit_has_return(w, at + LUAJIT_CFA - 8))
		return luajit_leave(w, at);
	if (!w->call && !compiled && sp != at &&
		(luajit_has_return(w, at) || luajit_has_return(w, at += 8)))
		return luajit_return(w, at, 0, true);
	if (!sp)
		return WALK_NO_RULE;
	luajit_remember(w, sp, compiled);
	return w->vm.stop ? WALK_ON : luajit_leave(w, sp);
}

/* Finds the rule of a trace, or of code in place of Lua functions. */
static inline bool luajit_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	enum luajit_callback callback;

	*rule = layout->rule;
	if (luajit_is_area(w))
		return true;
	callback = w->call ? LUAJIT_NO_CALLBACK : luajit_callback(w);
	if (callback == LUAJIT_NO_CALLBACK)
		return false;
	*rule = callback == LUAJIT_PUSHED ? jit_frame_rule(REG_SP, 16, true)
					  : jit_frame_rule(REG_SP, 8, false);
	rule->cfa = UNWIND_CFA_CALLED;
	return true;
}

#endif
