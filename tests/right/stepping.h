/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single-steps a stopped thread until its current function returns: the instruction after the
 * return belongs to the true caller. Calls are counted by the stack pointer at each call, so
 * callees may leave in any way.
 */
#ifndef TESTS_RIGHT_STEPPING_H
#define TESTS_RIGHT_STEPPING_H

#include "decode.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

enum {
	STEPPING_CALLS = 4096,      /* calls in progress, at most */
	STEPPING_FRAME = 1 << 20,   /* bytes: a function that moves rsp by more switches stacks */
	STEPPING_TRAP_FLAG = 1 << 8 /* in rflags */
};

/* Steps TID by one instruction. Returns false if it did not stop there. Sets *SIGNAL to a signal
 * that it got, or to 0. */
static bool stepping_once(pid_t tid, int *signal)
{
	int status;

	*signal = 0;
	if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0))
		return false;
	while (waitpid(tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	if (!WIFSTOPPED(status))
		return false;
	if (status >> 8 == SIGTRAP)
		return true;
	*signal = status >> 16 ? 0 : WSTOPSIG(status);
	return false;
}

/* Removes the trap flag, which is set while stepping, from the word that pushf wrote. */
static void stepping_hide(pid_t tid, uint64_t sp)
{
	uint64_t flags;

	if (!read_target(&flags, 8, sp))
		ptrace(PTRACE_POKEDATA, tid, sp, flags & ~(uint64_t)STEPPING_TRAP_FLAG);
}

/* Clears the trap flag before the thread runs on. */
static void stepping_end(pid_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, 0, &regs) || !(regs.eflags & STEPPING_TRAP_FLAG))
		return;
	regs.eflags &= ~(unsigned long long)STEPPING_TRAP_FLAG;
	ptrace(PTRACE_SETREGS, tid, 0, &regs);
}

struct stepping {
	pid_t tid;
	struct user_regs_struct regs;
	uint64_t begin, top; /* rsp at first; its highest value so far */
	struct stepping_call {
		uint64_t ra, at;
	} calls[STEPPING_CALLS]; /* in progress: return addresses and their places */
	unsigned nr;
	int signal; /* to be delivered */
};

/* Whether this is a return by pop and jmp: the target is the popped word. */
static bool stepping_is_popped(const struct stepping *s)
{
	uint64_t words[64], from = s->regs.rsp - sizeof(words);

	if (s->regs.rsp <= s->begin || read_target(words, sizeof(words), from))
		return false;
	for (unsigned i = 0; i < 64; i++)
		if (from + 8 * i >= s->begin && words[i] == s->regs.rip)
			return true;
	return false;
}

/*
 * Handles a return or jump to rip. Returns true if it ends a call, together with the calls inside
 * it. A callee may have moved its return address, to remove its arguments (V8) or into its frame
 * (SBCL).
 */
static bool stepping_end_call(struct stepping *s)
{
	for (unsigned nr = s->nr; nr; nr--)
		if (s->calls[nr - 1].ra == s->regs.rip) {
			s->nr = nr - 1;
			return true;
		}
	return false;
}

/* Whether a call is in progress. A call whose return address was popped for good, for instance to
 * get the address of code, ends with the function that made it. */
static bool stepping_is_inside(const struct stepping *s)
{
	return s->nr && s->calls[s->nr - 1].at >= s->regs.rsp;
}

/* Returns false if there is no room. */
static bool stepping_add_call(struct stepping *s)
{
	struct stepping_call *call = &s->calls[s->nr];

	call->at = s->regs.rsp;
	return s->nr < STEPPING_CALLS - 1 && ++s->nr && !read_target(&call->ra, 8, call->at);
}

/* Whether INSN at rsp SP, outside of calls, was the return. A ret after a push is a jump, not a
 * return. An interpreter's code may be returned to from places without a call. */
static bool stepping_has_returned(const struct stepping *s, enum stepping_insn insn, uint64_t sp)
{
	uint8_t before[8];

	if (insn == INSN_JUMP)
		return stepping_is_popped(s);
	if (insn != INSN_RET || sp < s->begin)
		return false;
	return (sp == s->top && sp != s->begin) ||
	       (!read_target(before, 7, s->regs.rip - 7) && code_is_call(before));
}

/* Steps one instruction. Returns 1 if the function has returned, or -1 if the caller cannot be
 * determined. */
static int stepping_step(struct stepping *s)
{
	uint64_t sp = s->regs.rsp;
	enum stepping_insn insn;
	uint8_t code[16] = {0};

	if (read_target(code, sizeof(code), s->regs.rip))
		return -1;
	insn = stepping_decode(code);
	if (insn == INSN_STOP || sp - s->begin + STEPPING_FRAME > 2 * STEPPING_FRAME ||
		!stepping_once(s->tid, &s->signal) || ptrace(PTRACE_GETREGS, s->tid, 0, &s->regs))
		return -1;
	if (insn == INSN_PUSHF)
		stepping_hide(s->tid, s->regs.rsp);
	if (insn == INSN_CALL)
		return stepping_add_call(s) ? 0 : -1;
	if ((insn == INSN_RET || insn == INSN_JUMP) && stepping_end_call(s))
		return 0;
	if (!stepping_is_inside(s) && stepping_has_returned(s, insn, sp))
		return 1;
	if (!s->nr && s->regs.rsp > s->top)
		s->top = s->regs.rsp;
	return 0;
}

/* Steps until the function returns, which must take at most STEPS instructions. S->tid and S->regs
 * must be set. Returns true if S->regs are the caller's registers. */
static bool stepping_return(struct stepping *s, unsigned steps)
{
	int state = 0;

	s->begin = s->top = s->regs.rsp;
	s->nr = 0;
	s->signal = 0;
	while (!state && steps--)
		state = stepping_step(s);
	return state == 1;
}

#endif
