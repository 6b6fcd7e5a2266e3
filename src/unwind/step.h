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
 * which returns the end of the stack that the thread began on, or 0 if it is not known.
 */
#ifndef UNWIND_STEP_H
#define UNWIND_STEP_H

#include "jit.h"
#include "walk.h"

#ifndef WALK_THREAD
#define WALK_THREAD(w) ((void)(w), 0ULL)
#endif
#ifndef WALK_STACK_END
#define WALK_STACK_END(w) ((void)(w), 0ULL)
#endif

/* Returns true if B, the 7 bytes before a return address, end in a call instruction. */
static inline bool walk_is_call(const uint8_t *b)
{
	return b[2] == 0xe8 || (b[5] == 0xff && (b[6] & 0x38) == 0x10) ||
	       (b[4] == 0xff && (b[5] & 0x38) == 0x10) || (b[3] == 0xff && b[4] == 0x54) ||
	       (b[1] == 0xff && (b[2] & 0x38) == 0x10) || (b[0] == 0xff && (b[1] & 0x38) == 0x10);
}

/* Returns true if ADDRESS follows a call instruction, or is the trampoline of a return probe. */
static inline bool walk_is_return(struct walk *w, uint64_t address)
{
	uint8_t code[8];

	if (w->trampoline && address == w->trampoline)
		return true;
	return !WALK_READ_CODE(w, code, 7, address - 7) && walk_is_call(code);
}

/* Returns true if the pc follows a system call. */
static inline bool walk_is_syscall(struct walk *w)
{
	uint8_t code[2];

	return !WALK_READ_CODE(w, code, 2, w->reg[REG_PC] - 2) && code[0] == 0x0f &&
	       code[1] == 0x05;
}

/*
 * Returns true if rsp is at most MAX bytes below the end of the thread's own stack, or if that is
 * not known.
 */
static inline bool walk_is_on_own_stack(struct walk *w, uint64_t max)
{
	uint64_t end = WALK_STACK_END(w);

	return !end || end - w->reg[REG_SP] <= max;
}

/*
 * Handles a caller's address, or rbp, of 0. The first function of a thread is near the end of the
 * thread's stack, before its control block or the arguments of the program. Other stacks belong to
 * coroutines.
 */
static inline int walk_root(struct walk *w)
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

#include "luajit_step.h"

/*
 * Steps from a leaf without rules by the return address at rsp. Assembly often has no frame, and
 * rbp then belongs to an outer function. glibc's rules for clone and clone3 end before the system
 * call; the return address of a new thread, on a new stack, is 0.
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
 * Steps by a frame pointer that is at most MAX bytes above rsp. With CHECK, the return address must
 * follow a call.
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
 * Takes SP, which was saved as the caller's rsp, if it is at least LEAST and near it. Otherwise rsp
 * is not known.
 */
static inline void walk_take_sender(struct walk *w, uint64_t least, uint64_t sp)
{
	w->reg[REG_SP] = least;
	if (sp >= least && sp - least <= WALK_JIT_MAX)
		w->reg[REG_SP] = sp;
	else
		w->known &= ~(1U << REG_SP);
}

/*
 * Steps from HotSpot's interpreter. It moves its return address, and therefore saves the caller's
 * rsp, which the rules of compiled callers refer to. After calls by method handles the saved value
 * may be too low, and is useless.
 */
static inline int walk_by_interpreter(struct walk *w)
{
	uint64_t sp;
	int end;

	if (WALK_READ(w, &sp, 8, w->reg[REG_FP] - 8))
		return WALK_NO_RULE;
	end = walk_by_frame(w, WALK_JIT_MAX, false);
	if (end != WALK_ON)
		return end;
	walk_take_sender(w, w->reg[REG_SP], sp);
	return WALK_ON;
}

/*
 * Returns true if Java code was called from before ADDRESS, possibly by the interpreter, which uses
 * no call instruction.
 */
static inline bool walk_is_java_return(struct walk *w, uint64_t address)
{
	uint64_t *code = w->saved;

	if (WALK_READ_CODE(w, code, 16, address - 8))
		return false;
	if (code[1] == 0xf045c748f0658b48 ||   /* mov -16(%rbp),%rsp; movq $0,-16(%rbp) */
		code[1] == 0xcd648d48f04d8b48) /* mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp */
		return true;
	return walk_is_call((const uint8_t *)code + 1);
}

/*
 * Steps from a leaf in HotSpot's code. R is like UNWIND_CFA_REG, but the return address is checked,
 * and may be up to r->add words higher: compiled methods push words while they work on strings.
 */
static inline int walk_by_method(struct walk *w, const struct unwind_rule *r)
{
	for (int i = 0; i < 3 && i <= r->add; i++) {
		uint64_t *pair = w->saved + 2, at = w->reg[REG_SP] + (int64_t)r->offset + 8 * i;

		if (WALK_READ(w, pair, 16, at - 16))
			return WALK_NO_READ;
		if (!walk_is_java_return(w, pair[1]))
			continue;
		if (r->fp_saved == UNWIND_AT_CFA)
			w->reg[REG_FP] = pair[0];
		w->reg[REG_PC] = pair[1];
		w->reg[REG_SP] = at;
		w->known &= 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
		w->call = true;
		return WALK_ON;
	}
	return WALK_NO_RULE;
}

/* Steps from a leaf in HotSpot's interpreter, at the beginning or the end of a method. */
static inline int walk_by_sender(struct walk *w, const struct unwind_rule *r)
{
	uint64_t at = w->reg[REG_SP] + (int64_t)r->offset, ra;
	uint64_t sp = w->reg[UNWIND_BELOW(r->reg, NR_REGS)];

	if (w->call || WALK_READ(w, &ra, 8, at) ||
		(r->fp_saved == UNWIND_AT_CFA && WALK_READ(w, &w->reg[REG_FP], 8, at - 8)))
		return WALK_NO_RULE;
	w->reg[REG_PC] = ra;
	w->known &= 1 << REG_FP | 1 << REG_SP | 1 << REG_PC;
	w->call = true;
	walk_take_sender(w, at + 8, sp);
	return WALK_ON;
}

/*
 * Steps from code without rules by the frame pointer (System V ABI of x86-64, 3.2.2). rbp may hold
 * any number, so the return address must follow a call instruction.
 */
static inline int walk_by_fp(struct walk *w)
{
	return walk_by_frame(w, WALK_FRAME_MAX, true);
}

/*
 * Steps from a signal handler to the interrupted code, whose registers are all in the kernel's
 * struct sigcontext (asm/sigcontext.h).
 */
static inline int walk_by_signal(struct walk *w, uint64_t at)
{
	uint64_t *saved = w->saved; /* r8 … r15 di si bp bx dx ax cx sp ip */

	if (WALK_READ(w, saved, sizeof(w->saved), at))
		return WALK_NO_READ;
	w->reg[0] = saved[13];
	w->reg[1] = saved[12];
	w->reg[2] = saved[14];
	w->reg[3] = saved[11];
	w->reg[4] = saved[9];
	w->reg[5] = saved[8];
	w->reg[6] = saved[10];
	w->reg[7] = saved[15];
	for (int i = 0; i < 8; i++)
		w->reg[8 + i] = saved[i];
	w->reg[REG_PC] = saved[16];
	w->bx_at = 0;
	w->known = (1 << NR_REGS) - 1;
	w->call = false;
	return WALK_ON;
}

static inline int walk_base(struct walk *w, uint32_t reg, uint64_t *value)
{
	if (reg >= NR_REGS - 1 || !(w->known >> reg & 1))
		return WALK_NO_RULE;
	if (reg == REG_BX && w->bx_at) {
		if (WALK_READ(w, &w->reg[REG_BX], 8, w->bx_at))
			return WALK_NO_READ;
		w->bx_at = 0;
	}
	*value = w->reg[UNWIND_BELOW(reg, NR_REGS)];
	return WALK_ON;
}

static inline int walk_cfa(struct walk *w, const struct unwind_rule *r, uint64_t *cfa)
{
	int end = walk_base(w, r->reg, cfa);
	uint64_t index = 0;

	if (!end && r->index)
		end = walk_base(w, r->index - 1U, &index);
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
static inline int walk_without_rule(struct walk *w)
{
	int end = w->call ? WALK_NO_RULE : walk_without_frame(w);

	return end == WALK_NO_RULE ? walk_by_fp(w) : end;
}

/* Steps from a leaf, compiled at run time, whose frame is not complete or has been released. */
static inline int walk_by_edge(struct walk *w)
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
 * Steps from code compiled at run time; CFA tells what is known about it. Interpreters return to
 * places that do not follow a call, so the frame pointers of such code are followed to any higher
 * address. If a function keeps no frame pointer, rbp may belong to any outer frame, and the stack
 * is cut.
 */
static inline int walk_by_jit(struct walk *w, uint32_t cfa)
{
	int end = w->call || cfa == UNWIND_CFA_JIT_INTERPRETER ? WALK_NO_RULE : walk_by_edge(w);

	if (cfa == UNWIND_CFA_JIT_INTERPRETER)
		return walk_by_interpreter(w);
	if (end != WALK_NO_RULE || cfa == UNWIND_CFA_JIT_NO_FRAME)
		return end;
	return cfa == UNWIND_CFA_JIT_FRAME ? walk_by_frame(w, WALK_JIT_MAX, false) : walk_by_fp(w);
}

/* Reads rbp and the return address, which are usually adjacent. */
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
	w->reg[REG_PC] = ra_saved ? pair[1] : w->reg[UNWIND_INDEX(r->ra, 16)];
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
 * caller's values: r12 to r15 unless the function has saved them, and the registers that a call may
 * change. Only assembly has rules that refer to the latter, and it knows which of them its callees
 * preserve.
 */
static inline uint32_t walk_kept(const struct walk *w, const struct unwind_rule *r)
{
	uint32_t others = 1 << REG_SP | 1 << REG_PC | 1 << REG_FP | 1 << REG_BX;

	return w->known & ~(others | (uint32_t)r->lost << UNWIND_R12);
}

/*
 * Finds the word, *AT, in which Go keeps rsp of the stack that was left. For the thread's own stack
 * (bx is 0: Go's m.g0), the word contains rsp of the innermost cgocallback, whose frame begins with
 * the value for the next outer one.
 */
static inline int walk_path(struct walk *w, const struct unwind_rule *r, uint64_t *at)
{
	uint64_t thread = WALK_THREAD(w);

	*at = thread + (int64_t)r->offset;
	if (!thread || WALK_READ(w, at, 8, *at) || WALK_READ(w, at, 8, *at + (int64_t)r->add) ||
		WALK_READ(w, at, 8, *at + (int64_t)r->bx))
		return WALK_NO_READ;
	if (!*at) /* the thread has stopped its goroutine, and looks for another one */
		return WALK_ROOT;
	*at += (int64_t)r->fp;
	if (r->bx)
		return WALK_ON;
	if (w->home)
		*at = w->home;
	return WALK_READ(w, &w->home, 8, *at) ? WALK_NO_READ : WALK_ON;
}

/* Finds rsp of the frame on its own stack. */
static inline int walk_switched(struct walk *w, const struct unwind_rule *r, uint64_t *sp)
{
	uint64_t *word = w->saved, at = w->reg[REG_SP];
	int end;

	switch (r->index) {
	case UNWIND_SWITCH_REG:
		return walk_base(w, r->reg, sp);
	case UNWIND_SWITCH_WORD:
		return WALK_READ(w, sp, 8, at + (int64_t)r->offset) ? WALK_NO_READ : WALK_ON;
	case UNWIND_SWITCH_DISTANCE:
		if (WALK_READ(w, &word[0], 8, at + (int64_t)r->offset) ||
			WALK_READ(w, &word[1], 8, word[0] + (int64_t)r->add) ||
			WALK_READ(w, &word[2], 8, at + (int64_t)r->bx))
			return WALK_NO_READ;
		*sp = word[1] - word[2];
		return WALK_ON;
	default:
		end = walk_path(w, r, &at);
		if (end)
			return end;
		return WALK_READ(w, sp, 8, at) ? WALK_NO_READ : WALK_ON;
	}
}

/* Steps to a function of Go that has called runtime.morestack, and has not begun yet. */
static inline int walk_by_context(struct walk *w, const struct unwind_rule *r)
{
	uint64_t *pair = w->saved, at, fp = 0;
	int end = walk_path(w, r, &at);

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
static inline int walk_by_switch(struct walk *w, const struct unwind_rule *r)
{
	uint64_t *pair = w->saved, sp;
	int end;

	if (r->index == UNWIND_SWITCH_CONTEXT)
		return walk_by_context(w, r);
	end = walk_switched(w, r, &sp);
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

/* Steps by a rule that has no CFA. */
static inline int walk_without_cfa(struct walk *w, const struct unwind_rule *r)
{
	if (r->cfa == UNWIND_CFA_ROOT)
		return WALK_ROOT;
	if (r->cfa == UNWIND_CFA_NONE)
		return walk_without_rule(w);
	if (r->cfa == UNWIND_CFA_SIGNAL)
		return walk_by_signal(w, w->reg[REG_SP] + (int64_t)r->offset);
#ifndef __bpf__ /* the BPF programs have a function of their own for this */
	if (r->cfa == UNWIND_CFA_LUAJIT)
		return walk_by_luajit(w, !r->offset);
#endif
	if (r->cfa == UNWIND_CFA_SWITCH)
		return walk_by_switch(w, r);
	if (r->cfa == UNWIND_CFA_JIT_METHOD)
		return walk_by_method(w, r);
	if (r->cfa == UNWIND_CFA_JIT_SENDER)
		return walk_by_sender(w, r);
	return walk_by_jit(w, r->cfa);
}

enum {
	WALK_CFAS = 1 << UNWIND_CFA_REG | 1 << UNWIND_CFA_DEREF | 1 << UNWIND_CFA_PLT |
		    1 << UNWIND_CFA_CALLED
};

/*
 * Steps to the caller by rule R. If the CFA depends on a register other than rsp, the function may
 * have made its call on another stack (split stacks, Rust's stacker), which may be above its own
 * stack.
 */
static inline int walk_by_rule(struct walk *w, const struct unwind_rule *r)
{
	uint64_t cfa, bx_at = w->bx_at;
	bool is_leaf = !w->call, is_lower;
	int end;

	if (!(WALK_CFAS >> r->cfa & 1)) /* one test, because nearly all steps have a CFA */
		return walk_without_cfa(w, r);
	end = walk_cfa(w, r, &cfa);
	if (end)
		return end;
	is_lower = cfa <= w->reg[REG_SP] && w->call;
	if (is_lower && r->reg == REG_SP)
		return WALK_LOST;
	if ((r->fp_saved == UNWIND_AT_FP || r->bx_saved == UNWIND_AT_FP) &&
		!(w->known >> REG_FP & 1))
		return WALK_NO_RULE;
	if (r->ra >= UNWIND_RA_REG && w->call) /* the callee may have changed the register */
		return WALK_NO_RULE;
	if (r->bx_saved == UNWIND_AT_CFA)
		bx_at = cfa + 8 * (int64_t)r->bx;
	else if (r->bx_saved == UNWIND_AT_FP)
		bx_at = w->reg[REG_FP] + 8 * (int64_t)r->bx;
	end = walk_saved(w, r, cfa);
	if (end)
		return end;
	if ((is_lower || r->cfa == UNWIND_CFA_CALLED) && !walk_is_return(w, w->reg[REG_PC]))
		return is_lower ? WALK_LOST : WALK_NO_RULE;
	w->bx_at = bx_at;
	w->reg[REG_SP] = cfa;
	w->known = walk_kept(w, r) | 1 << REG_SP | 1 << REG_PC |
		   walk_known(w, REG_FP, r->fp_saved) | walk_known(w, REG_BX, r->bx_saved);
	w->call = true;
	if (!w->reg[REG_PC])
		return is_leaf || !w->reg[REG_FP] ? walk_root(w) : WALK_LOST;
	return WALK_ON;
}

#ifndef __bpf__
/*
 * Returns what the code compiled at run time, from START to the walk's pc, tells: enum unwind_cfa.
 */
static inline uint32_t walk_search_code(struct walk *w, uint64_t start)
{
	uint8_t code[JIT_BLOCK];
	uint64_t end = walk_pc(w);

	for (int i = 0; i < JIT_BLOCKS; i++, end -= JIT_BLOCK - JIT_OVERLAP) {
		if (end - JIT_BLOCK < start || WALK_READ_CODE(w, code, JIT_BLOCK, end - JIT_BLOCK))
			break;
		uint32_t marker = jit_search(code);

		if (marker)
			return marker;
	}
	return UNWIND_CFA_JIT;
}
#endif

#endif
