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
 * Searches the code before the pc, which it reads to w->saved, for the switch to the thread's
 * stack. Returns the place of the 7 bytes before the switch, or ERLANG_CALL if there is none.
 */
WALK_PART(erlang_find_switch)
{
	uint8_t *code = (uint8_t *)w->saved;
	uint32_t four = 0;

	if (WALK_READ_CODE(w, w->saved, ERLANG_CALL, w->reg[REG_PC] - ERLANG_CALL))
		return ERLANG_CALL;
	for (int i = ERLANG_CALL - 1; i >= 7; i--) {
		four = four << 8 | code[UNWIND_INDEX(i, ERLANG_CALL)];
		if (four == ERLANG_LEA)
			return (uint64_t)i - 7;
	}
	return ERLANG_CALL;
}

/*
 * Finds the Erlang stack of code that runs on the thread's stack. Returns false if there is none,
 * or it is unknown.
 */
static inline bool erlang_other_stack(struct walk *w, const struct erlang_layout *l, uint64_t *sp)
{
	uint8_t *code = (uint8_t *)w->saved;
	uint64_t at;

	if (w->reg[REG_PC] - l->main < ERLANG_MAIN)
		return false;
	at = erlang_find_switch(w);
	return at < ERLANG_CALL &&
	       erlang_saved_stack(w, l, code + UNWIND_INDEX(at, ERLANG_CALL), sp);
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

enum erlang_word { ERLANG_TERM, ERLANG_RETURN, ERLANG_UNREAD };

/* Reads the word at AT to w->saved[0]. Returns whether it is a return address. */
WALK_PART_1(erlang_read_word, at)
{
	if (WALK_READ(w, w->saved, 8, at))
		return ERLANG_UNREAD;
	return !(w->saved[0] & 3) && w->saved[0] > ERLANG_LOWEST ? ERLANG_RETURN : ERLANG_TERM;
}

/*
 * Reads the words from SP on up to the next return address, which is then in w->saved[0]. Returns
 * enum erlang_word + 4 * the number of words before it.
 */
WALK_PART_1(erlang_find_return, sp)
{
	for (uint64_t i = 0; i < ERLANG_FRAME; i++) {
		uint64_t found = erlang_read_word(w, sp + 8 * i);

		if (found != ERLANG_TERM || (!i && erlang_is_part(w, w->saved[0])))
			return (found ? found : ERLANG_RETURN) + 4 * i;
	}
	return ERLANG_TERM;
}

/*
 * Steps to the next return address from SP on. The outermost return address of a process does not
 * follow a call.
 */
static inline int erlang_caller(
	struct walk *w, const struct erlang_layout *l, uint64_t sp, uint64_t bx)
{
	uint64_t found = erlang_find_return(w, sp), word = w->saved[0];

	if ((found & 3) != ERLANG_RETURN)
		return found & 3 ? WALK_NO_READ : WALK_NO_RULE;
	if (!walk_is_return(w, word))
		return erlang_leave(w, l, bx);
	w->reg[REG_SP] = sp + 8 * (found >> 2) + 8;
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
