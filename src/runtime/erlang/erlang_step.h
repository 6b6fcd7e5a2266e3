/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from code of Erlang's JIT compiler (OTP 24 and later, without frame pointers). The stack of
 * Erlang functions, which rsp points to, is in the heap of their process. It consists of tagged
 * terms and return addresses; only return addresses are multiples of 4. C functions are called on
 * the thread's stack, which the compiled code finds by rbx. Part of native_step.h.
 */
#ifndef RUNTIME_ERLANG_ERLANG_STEP_H
#define RUNTIME_ERLANG_ERLANG_STEP_H

#include "erlang_layout.h"
#include "runtime/jit_step.h"

enum {
	ERLANG_FRAME = 128,      /* words; larger frames are not understood */
	ERLANG_ARGUMENTS = 256,  /* bytes of arguments on the thread's stack */
	ERLANG_NEAR = 64 << 20,  /* limit of bytes between two places in compiled code */
	ERLANG_CALL = 64,        /* bytes of code before a call of C, a power of two */
	ERLANG_LEA = 0x80638d48, /* lea -128(%rbx),%rsp, which is among them */
	ERLANG_MAIN = 1024,      /* bytes of the code that runs processes, on the thread's stack */
	ERLANG_LOWEST = 1 << 16, /* no code is below this address */
};

/*
 * Finds rsp before the switch to the thread's stack. BEFORE is the code that precedes the switch.
 */
static inline bool erlang_saved_stack(
	struct walk *w, const struct erlang_layout *l, const uint8_t *before, uint64_t *sp)
{
	bool reductions = before[4] == 0x89 && before[5] == 0x75; /* mov %r14,…(%r13) */
	const uint8_t *mov = reductions ? before : before + 4;

	if (mov[0] == 0x48 && mov[1] == 0x89 && mov[2] == 0xe5) { /* mov %rsp,%rbp */
		*sp = w->reg[REG_FP];
		return w->known >> REG_FP & 1;
	}
	return l->stop && w->known >> ERLANG_PROCESS & 1 &&
	       !WALK_READ(w, sp, 8, w->reg[ERLANG_PROCESS] + l->stop);
}

/*
 * Finds the Erlang stack of code that runs on the thread's stack. Returns false if there is none,
 * or it is unknown.
 */
static inline bool erlang_other_stack(struct walk *w, const struct erlang_layout *l, uint64_t *sp)
{
	uint8_t *code = (uint8_t *)w->saved;
	uint32_t four = 0;

	if (w->reg[REG_PC] - l->main < ERLANG_MAIN ||
		WALK_READ_CODE(w, w->saved, ERLANG_CALL, w->reg[REG_PC] - ERLANG_CALL))
		return false;
	for (int i = ERLANG_CALL - 1; i >= 7; i--) {
		four = four << 8 | code[UNWIND_INDEX(i, ERLANG_CALL)];
		if (four == ERLANG_LEA)
			return erlang_saved_stack(
				w, l, code + UNWIND_INDEX(i - 7, ERLANG_CALL), sp);
	}
	return false;
}

/* Returns true if RA follows the call of ENTRY that runs processes. Only one place calls ENTRY. */
static inline bool erlang_is_root(struct walk *w, const struct erlang_layout *l, uint64_t ra)
{
	uint64_t code;

	return ra > ERLANG_LOWEST && !WALK_READ_CODE(w, &code, 8, ra - 8) &&
	       (code >> 24 & 0xff) == 0xe8 && ra + (uint64_t)(int32_t)(code >> 32) == l->entry;
}

/* Steps to the C function that runs processes; the alignment of its stack is unknown. */
static inline int erlang_leave(struct walk *w, const struct erlang_layout *l, uint64_t bx)
{
	for (uint32_t i = 8; i < 64; i += 16) {
		uint64_t at = bx + l->frame + i, ra;

		if (WALK_READ(w, &ra, 8, at))
			return WALK_NO_READ;
		if (!erlang_is_root(w, l, ra))
			continue;
		w->reg[REG_SP] = at + 8;
		w->reg[REG_PC] = ra;
		w->known = 1 << REG_SP | 1 << REG_PC;
		w->call = true;
		return WALK_ON;
	}
	return WALK_NO_RULE;
}

/*
 * Returns true for a leaf that was called as a part of an Erlang function; WORD, its return
 * address, need not be aligned.
 */
static inline bool erlang_is_part(struct walk *w, uint64_t word)
{
	return !w->call && word - w->reg[REG_PC] + ERLANG_NEAR < 2 * ERLANG_NEAR &&
	       walk_is_return(w, word);
}

/*
 * Steps to the next return address from SP on. The outermost return address of a process does not
 * follow a call.
 */
static inline int erlang_caller(
	struct walk *w, const struct erlang_layout *l, uint64_t sp, uint64_t bx)
{
	uint64_t word = 0;
	int i;

	for (i = 0; i < ERLANG_FRAME; i++) {
		if (WALK_READ(w, &word, 8, sp + 8 * (uint64_t)i))
			return WALK_NO_READ;
		if ((!(word & 3) && word > ERLANG_LOWEST) || (!i && erlang_is_part(w, word)))
			break;
	}
	if (i == ERLANG_FRAME)
		return WALK_NO_RULE;
	if (!walk_is_return(w, word))
		return erlang_leave(w, l, bx);
	w->reg[REG_SP] = sp + 8 * (uint64_t)i + 8;
	w->reg[REG_PC] = word;
	w->known &= 1 << REG_SP | 1 << REG_PC | 1 << REG_BASE | 1 << ERLANG_PROCESS;
	w->call = true;
	return WALK_ON;
}

static inline int erlang_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r)
{
	const struct erlang_layout *l;
	uint64_t bx, sp = w->reg[REG_SP];
	int end;

	(void)r;
	if (!layout || layout->runtime != RUNTIME_ERLANG)
		return WALK_NO_RULE;
	l = (const struct erlang_layout *)layout->data;
	end = walk_reg(w, REG_BASE, &bx);
	if (end != WALK_ON)
		return end;
	if (bx + l->c_stack - sp <= ERLANG_ARGUMENTS && !erlang_other_stack(w, l, &sp))
		return erlang_leave(w, l, bx);
	return sp & 7 ? WALK_LOST : erlang_caller(w, l, sp, bx);
}

#endif
