/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step from a frame to its caller. Used in the kernel (BPF) and in user space. The includer
 * defines
 *
 *	int WALK_READ(struct walk *w, void *to, uint32_t size, uint64_t address)
 *	int WALK_READ_CODE(struct walk *w, void *to, uint32_t size, uint64_t address)
 *
 * which read the target's memory and return 0 if all of it could be read,
 *
 *	uint64_t WALK_THREAD(struct walk *w)
 *
 * which returns the thread pointer, or 0 if it is not known, and
 *
 *	uint64_t WALK_STACK_END(struct walk *w)
 *
 * which returns the end of the stack that the thread began on, or 0 if it is not known, and
 *
 *	int WALK_BY_RUNTIME(struct walk *w, const struct unwind_rule *r)
 *
 * which steps by a rule of kind UNWIND_CFA_RUNTIME or above. The last three may be left out.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "arch/x86_64/machine_code.h"
#include "walk.h"

#ifndef WALK_THREAD
#define WALK_THREAD(w) ((void)(w), 0ULL)
#endif
#ifndef WALK_STACK_END
#define WALK_STACK_END(w) ((void)(w), 0ULL)
#endif
#ifndef WALK_BY_RUNTIME
#define WALK_BY_RUNTIME(w, r) WALK_NO_RULE
#endif

/*
 * Define a part of a step, NAME(w), NAME(w, a) or NAME(w, a, b), whose other arguments are uint64_t
 * and which returns one. The BPF programs define them as global functions, which the verifier
 * checks once: parts that are called in long loops, and the loops themselves.
 */
#ifndef WALK_PART
#define WALK_PART(name) static inline uint64_t name(struct walk *w)
#define WALK_PART_1(name, a) static inline uint64_t name(struct walk *w, uint64_t a)
#define WALK_PART_2(name, a, b) static inline uint64_t name(struct walk *w, uint64_t a, uint64_t b)
#endif

/* Returns true if ADDRESS follows a call instruction, or is the trampoline of a return probe. */
WALK_PART_1(walk_is_return, address)
{
	uint8_t code[8];

	if (w->trampoline && address == w->trampoline)
		return true;
	return !WALK_READ_CODE(w, code, CODE_CALL_MAX, address - CODE_CALL_MAX) &&
	       code_is_call(code);
}

/* Returns true if the pc follows a system call. */
static inline bool walk_is_syscall(struct walk *w)
{
	uint8_t code[CODE_SYSCALL];

	return !WALK_READ_CODE(w, code, CODE_SYSCALL, w->reg[REG_PC] - CODE_SYSCALL) &&
	       code_is_syscall(code);
}

/*
 * Returns true if REG_SP is at most MAX bytes below the end of the thread's own stack, or if that
 * is not known.
 */
static inline bool walk_is_on_own_stack(struct walk *w, uint64_t max)
{
	uint64_t end = WALK_STACK_END(w);

	return !end || end - w->reg[REG_SP] <= max;
}

/*
 * Handles a caller's address, or REG_FP, of 0. The first function of a thread is near the end of
 * the thread's stack, before its control block or the arguments of the program. Other stacks belong
 * to coroutines.
 */
WALK_PART(walk_root)
{
	return walk_is_on_own_stack(w, WALK_FIRST_MAX) ? WALK_ROOT : WALK_COROUTINE;
}

/*
 * Returns true if the last frame of a failed walk is only the artificial return address of a
 * coroutine's first function. There is no call before such an address, for example glibc's
 * __start_context.
 */
static inline bool walk_is_made_up(struct walk *w)
{
	return w->from && w->map.table != WALK_MEMORY && !walk_is_on_own_stack(w, WALK_STACK_MAX) &&
	       !walk_is_return(w, w->from);
}

/* Recognises coroutines after a walk has ended. It may change the end, and drop the last frame. */
static inline void walk_finish(struct walk *w)
{
	bool failed = w->end == WALK_NO_RULE || w->end == WALK_NO_MAP || w->end == WALK_LOST ||
		      w->end == WALK_NO_READ;

	if (failed && walk_is_made_up(w))
		w->end = WALK_COROUTINE;
	if (w->end == WALK_COROUTINE && w->nr > 1 && w->from && !walk_is_return(w, w->from))
		w->nr--;
}

/*
 * Steps from a leaf without rules by the return address at REG_SP. Assembly often has no frame, and
 * REG_FP then belongs to an outer function. glibc's rules for clone and clone3 end before the
 * system call; the return address of a new thread, on a new stack, is 0.
 */
static inline int walk_without_frame(struct walk *w)
{
	uint64_t ra;

	if (WALK_READ(w, &ra, 8, w->reg[REG_SP]))
		return WALK_NO_RULE;
	if (!ra)
		return walk_is_syscall(w) ? WALK_ROOT : WALK_NO_RULE;
	if (!walk_is_return(w, ra))
		return WALK_NO_RULE;
	w->reg[REG_SP] += 8;
	w->reg[REG_PC] = ra;
	w->call = true;
	return WALK_ON;
}

/*
 * Steps by a frame pointer that is at most MAX bytes above REG_SP. With CHECK, the return address
 * must follow a call.
 */
static inline int walk_by_frame(struct walk *w, uint64_t max, bool check)
{
	uint64_t fp = w->reg[REG_FP], *pair = w->saved;

	if (!(w->known & 1 << REG_FP))
		return WALK_NO_RULE;
	if (!fp && w->call)
		return walk_is_return(w, w->reg[REG_PC]) ? WALK_ROOT : walk_root(w);
	if ((fp & 7) || fp < w->reg[REG_SP] || fp - w->reg[REG_SP] > max)
		return WALK_NO_RULE;
	if (WALK_READ(w, pair, 16, fp))
		return WALK_NO_RULE;
	if (!pair[1])
		return w->call ? walk_root(w) : WALK_NO_RULE;
	if (check && !walk_is_return(w, pair[1]))
		return WALK_NO_RULE;
	w->reg[REG_FP] = pair[0];
	w->reg[REG_SP] = fp + 16;
	w->reg[REG_PC] = pair[1];
	w->known = 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	return WALK_ON;
}

/*
 * Steps from code without rules by the frame pointer. REG_FP may hold
 * any number, so the return address must follow a call instruction.
 */
static inline int walk_by_fp(struct walk *w)
{
	return walk_by_frame(w, WALK_FRAME_MAX, true);
}

/*
 * Steps from a signal handler to the interrupted code, whose registers the kernel has saved.
 */
WALK_PART_1(walk_by_signal, at)
{
	if (WALK_READ(w, w->saved, CONTEXT_WORDS * sizeof(uint64_t), at))
		return WALK_NO_READ;
	context_take(w->reg, w->saved);
	w->base_at = 0;
	w->known = (1 << NR_REGS) - 1;
	w->call = false;
	return WALK_ON;
}

static inline int walk_reg(struct walk *w, uint32_t reg, uint64_t *value)
{
	if (reg >= NR_REGS - 1 || !(w->known >> reg & 1))
		return WALK_NO_RULE;
	if (reg == REG_BASE && w->base_at) {
		if (WALK_READ(w, &w->reg[REG_BASE], 8, w->base_at))
			return WALK_NO_READ;
		w->base_at = 0;
	}
	*value = w->reg[UNWIND_BELOW(reg, NR_REGS)];
	return WALK_ON;
}

static inline int walk_cfa(struct walk *w, const struct unwind_rule *r, uint64_t *cfa)
{
	int end = walk_reg(w, r->reg, cfa);
	uint64_t index = 0;

	if (!end && r->index)
		end = walk_reg(w, r->index - 1U, &index);
	if (end)
		return end;
	*cfa += 8 * index + (int64_t)r->offset;
	if (r->cfa == UNWIND_CFA_PLT) {
		*cfa += (w->reg[REG_PC] & 15) >= (uint64_t)(uint16_t)r->add ? 8 : 0;
	} else if (r->cfa == UNWIND_CFA_DEREF) {
		if (WALK_READ(w, cfa, 8, *cfa))
			return WALK_NO_READ;
		*cfa += (int64_t)r->add;
	}
	return WALK_ON;
}

/* Steps from code without rules. */
WALK_PART(walk_without_rule)
{
	int end = w->call ? WALK_NO_RULE : walk_without_frame(w);

	return end == WALK_NO_RULE ? walk_by_fp(w) : end;
}

/* Reads REG_FP and the return address, which are usually adjacent. */
static inline int walk_saved(struct walk *w, const struct unwind_rule *r, uint64_t cfa)
{
	uint64_t ra_at = cfa + 8 * (int64_t)r->ra, pair[2];
	uint64_t fp_at = (r->fp_saved == UNWIND_AT_CFA ? cfa : w->reg[REG_FP]) + 8 * (int64_t)r->fp;
	bool fp_saved = r->fp_saved == UNWIND_AT_CFA || r->fp_saved == UNWIND_AT_FP;
	bool ra_saved = r->ra < UNWIND_RA_REG;

	if (fp_saved && ra_saved && fp_at == ra_at - 8) {
		if (WALK_READ(w, pair, sizeof(pair), fp_at))
			return WALK_NO_READ;
		w->reg[REG_FP] = pair[0];
		w->reg[REG_PC] = pair[1];
		return WALK_ON;
	}
	if ((ra_saved && WALK_READ(w, &pair[1], 8, ra_at)) ||
		(fp_saved && WALK_READ(w, &pair[0], 8, fp_at)))
		return WALK_NO_READ;
	w->reg[REG_PC] = ra_saved ? pair[1] : w->reg[UNWIND_INDEX(r->ra, REG_PC)];
	if (fp_saved)
		w->reg[REG_FP] = pair[0];
	return WALK_ON;
}

/* Returns the bit of the caller's REG in w->known if its value is known, else 0. */
static inline uint32_t walk_known(const struct walk *w, uint32_t reg, uint8_t saved)
{
	return saved == UNWIND_SAME ? w->known & 1U << reg
				    : (uint32_t)(saved != UNWIND_LOST) << reg;
}

/*
 * Returns the mask of registers, other than those that R locates, whose values are also the
 * caller's values: those from REG_KEPT on unless the function has saved them, and the registers
 * that a call may change. Only assembly has rules that refer to the latter, and it knows which of
 * them its callees preserve.
 */
static inline uint32_t walk_kept(const struct walk *w, const struct unwind_rule *r)
{
	uint32_t others = 1 << REG_SP | 1 << REG_PC | 1 << REG_FP | 1 << REG_BASE;

	return w->known & ~(others | (uint32_t)r->lost << REG_KEPT);
}

/* Steps by a rule that has no CFA. */
static inline int walk_without_cfa(struct walk *w, const struct unwind_rule *r)
{
	if (r->cfa == UNWIND_CFA_ROOT)
		return WALK_ROOT;
	if (r->cfa == UNWIND_CFA_NONE)
		return walk_without_rule(w);
	if (r->cfa == UNWIND_CFA_SIGNAL)
		return walk_by_signal(w, w->reg[REG_SP] + (int64_t)r->offset);
	return WALK_NO_RULE;
}

/* Makes the caller's frame the walk's frame. Its REG_FP and REG_PC, by rule R, are in w->reg. */
static inline int walk_enter_caller(
	struct walk *w, const struct unwind_rule *r, uint64_t cfa, uint64_t base_at)
{
	bool is_leaf = !w->call;

	w->base_at = base_at;
	w->reg[REG_SP] = cfa;
	w->known = walk_kept(w, r) | 1 << REG_SP | 1 << REG_PC |
		   walk_known(w, REG_FP, r->fp_saved) | walk_known(w, REG_BASE, r->base_saved);
	w->call = true;
	if (!w->reg[REG_PC])
		return is_leaf || !w->reg[REG_FP] ? (int)walk_root(w) : WALK_LOST;
	return WALK_ON;
}

/* Returns whether walk_by_plain_rule() may be tried with R, as for nearly all frames. */
static inline bool walk_is_plain(const struct unwind_rule *r)
{
	return r->cfa == UNWIND_CFA_REG && (r->reg == REG_SP || r->reg == REG_FP) && !r->index &&
	       r->ra == -1 && r->fp_saved != UNWIND_AT_FP && r->base_saved != UNWIND_AT_FP;
}

/*
 * Steps to the caller by the plain rule R, as walk_by_rule() does, and sets *END. Returns false
 * without a step if that function has to decide.
 */
static inline bool walk_by_plain_rule(struct walk *w, const struct unwind_rule *r, int *end)
{
	bool is_fp = r->reg == REG_FP, fp_saved = r->fp_saved == UNWIND_AT_CFA;
	uint64_t cfa = (is_fp ? w->reg[REG_FP] : w->reg[REG_SP]) + (int64_t)r->offset, pair[2];

	if (!(w->known >> (is_fp ? REG_FP : REG_SP) & 1) || (cfa <= w->reg[REG_SP] && w->call))
		return false;
	*end = WALK_NO_READ;
	if (fp_saved && r->fp == -2) {
		if (WALK_READ(w, pair, sizeof(pair), cfa - 16))
			return true;
	} else if (WALK_READ(w, &pair[1], 8, cfa - 8) ||
		   (fp_saved && WALK_READ(w, &pair[0], 8, cfa + 8 * (int64_t)r->fp))) {
		return true;
	}
	w->reg[REG_PC] = pair[1];
	if (fp_saved)
		w->reg[REG_FP] = pair[0];
	*end = walk_enter_caller(w, r, cfa,
		r->base_saved == UNWIND_AT_CFA ? cfa + 8 * (int64_t)r->base : w->base_at);
	return true;
}

/*
 * Steps to the caller by rule R, which is not a runtime's. If the CFA depends on a register other
 * than REG_SP, the function may have made its call on another stack (split stacks, Rust's stacker),
 * which may be above its own stack.
 */
static inline int walk_by_any_rule(struct walk *w, const struct unwind_rule *r)
{
	uint64_t cfa, base_at = w->base_at;
	bool is_lower;
	int end;

	if (r->cfa < UNWIND_CFA_REG || r->cfa > UNWIND_CFA_CALLED)
		return walk_without_cfa(w, r);
	end = walk_cfa(w, r, &cfa);
	if (end)
		return end;
	is_lower = cfa <= w->reg[REG_SP] && w->call;
	if (is_lower && r->reg == REG_SP)
		return WALK_LOST;
	if ((r->fp_saved == UNWIND_AT_FP || r->base_saved == UNWIND_AT_FP) &&
		!(w->known >> REG_FP & 1))
		return WALK_NO_RULE;
	if (r->ra >= UNWIND_RA_REG && w->call) /* the callee may have changed the register */
		return WALK_NO_RULE;
	if (r->base_saved == UNWIND_AT_CFA)
		base_at = cfa + 8 * (int64_t)r->base;
	else if (r->base_saved == UNWIND_AT_FP)
		base_at = w->reg[REG_FP] + 8 * (int64_t)r->base;
	end = walk_saved(w, r, cfa);
	if (end)
		return end;
	if ((is_lower || r->cfa == UNWIND_CFA_CALLED) && !walk_is_return(w, w->reg[REG_PC]))
		return is_lower ? WALK_LOST : WALK_NO_RULE;
	return walk_enter_caller(w, r, cfa, base_at);
}

/* Steps to the caller by rule R. */
static inline int walk_by_rule(struct walk *w, const struct unwind_rule *r)
{
	int end;

	if (r->cfa >= UNWIND_CFA_RUNTIME)
		return WALK_BY_RUNTIME(w, r);
	if (walk_is_plain(r) && walk_by_plain_rule(w, r, &end))
		return end;
	return walk_by_any_rule(w, r);
}

#endif
