/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps from functions of Go that have switched to another stack, see go_switch.h, by rules that
 * are in the tables of files. Part of native_step.h.
 */
#ifndef RUNTIME_GO_GO_STEP_H
#define RUNTIME_GO_GO_STEP_H

#include "go_rule.h"
#include "runtime/jit_step.h"

/*
 * Finds the word, *AT, in which Go keeps rsp of the stack that was left. For the thread's own stack
 * (base is 0: Go's m.g0), the word contains rsp of the innermost cgocallback, whose frame begins
 * with the value for the next outer one. The walk's home is rsp of the last cgocallback.
 */
static inline int go_path(struct walk *w, const struct unwind_rule *r, uint64_t *at)
{
	uint64_t thread = WALK_THREAD(w);

	*at = thread + (int64_t)r->offset;
	if (!thread || WALK_READ(w, at, 8, *at) || WALK_READ(w, at, 8, *at + (int64_t)r->add) ||
		WALK_READ(w, at, 8, *at + (int64_t)r->base))
		return WALK_NO_READ;
	if (!*at) /* the thread has stopped its goroutine, and looks for another one */
		return WALK_ROOT;
	*at += (int64_t)r->fp;
	if (r->base)
		return WALK_ON;
	if (w->home)
		*at = w->home;
	return WALK_READ(w, &w->home, 8, *at) ? WALK_NO_READ : WALK_ON;
}

/* Finds rsp of the frame on its own stack. */
static inline int go_switched(struct walk *w, const struct unwind_rule *r, uint64_t *sp)
{
	uint64_t *word = w->saved, at = w->reg[REG_SP];
	int end;

	switch (r->index) {
	case GO_SWITCH_REG:
		return walk_reg(w, r->reg, sp);
	case GO_SWITCH_WORD:
		return WALK_READ(w, sp, 8, at + (int64_t)r->offset) ? WALK_NO_READ : WALK_ON;
	case GO_SWITCH_DISTANCE:
		if (WALK_READ(w, &word[0], 8, at + (int64_t)r->offset) ||
			WALK_READ(w, &word[1], 8, word[0] + (int64_t)r->add) ||
			WALK_READ(w, &word[2], 8, at + (int64_t)r->base))
			return WALK_NO_READ;
		*sp = word[1] - word[2];
		return WALK_ON;
	default:
		end = go_path(w, r, &at);
		if (end)
			return end;
		return WALK_READ(w, sp, 8, at) ? WALK_NO_READ : WALK_ON;
	}
}

/* Steps to a function of Go that has called runtime.morestack, and has not begun yet. */
static inline int go_by_context(struct walk *w, const struct unwind_rule *r)
{
	uint64_t *pair = w->saved, at, fp = 0;
	int end = go_path(w, r, &at);

	if (end)
		return end;
	if (WALK_READ(w, pair, 16, at) ||
		(r->fp_saved == UNWIND_AT_CFA &&
			WALK_READ(w, &fp, 8, at - (int64_t)r->fp + (int64_t)r->ra)))
		return WALK_NO_READ;
	w->reg[REG_SP] = pair[0];
	w->reg[REG_PC] = pair[1];
	w->reg[REG_FP] = fp;
	w->known = 1 << REG_SP | 1 << REG_PC | (uint32_t)(r->fp_saved == UNWIND_AT_CFA) << REG_FP;
	w->call = true;
	return WALK_ON;
}

/* Steps to the caller of a frame on another stack, which may be anywhere. */
static inline int go_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r)
{
	uint64_t *pair = w->saved, sp;
	int end;

	(void)layout;
	if (r->index == GO_SWITCH_CONTEXT)
		return go_by_context(w, r);
	end = go_switched(w, r, &sp);
	if (end)
		return end;
	sp += (int64_t)r->ra;
	if (WALK_READ(w, pair, 16, sp - 8))
		return WALK_NO_READ;
	if (r->fp_saved == UNWIND_AT_CFA)
		w->reg[REG_FP] = pair[0];
	w->reg[REG_PC] = pair[1];
	w->reg[REG_SP] = sp + 8;
	w->known &= 1 << REG_FP;
	w->known |= 1 << REG_SP | 1 << REG_PC | (uint32_t)(r->fp_saved == UNWIND_AT_CFA) << REG_FP;
	w->call = true;
	return WALK_ON;
}

#endif
