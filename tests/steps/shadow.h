/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a thread as its own instructions make it. A call adds a frame. A return, or any
 * other instruction that moves the stack pointer above a return address, removes it. A signal adds
 * the interrupted instruction. A stack that the program allocated itself begins with the return
 * address on top of it.
 */
#ifndef TESTS_STEPS_SHADOW_H
#define TESTS_STEPS_SHADOW_H

#include "../right/decode.h"
#include "lib/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/user.h>

enum shadow_kind {
	SHADOW_CALL,   /* pc: return address; at: where it is stored */
	SHADOW_SIGNAL, /* pc: the interrupted instruction; at: its rsp */
	SHADOW_STACK,  /* the stack was left with its rsp at AT; not a frame */
};

struct shadow_frame {
	enum shadow_kind kind;
	uint64_t pc, at;
};

/* The callers of the current frame, outermost first. */
struct shadow {
	struct shadow_frame *list;
	size_t nr, alloc;
	/* The current function has given up its frame or stack, but has not jumped yet. */
	bool is_moving;
	bool goes_on; /* functions that switch stacks keep their frames, as Go's do */
};

enum {
	SHADOW_FAR = 1 << 30, /* stacks are further apart, and no frame is so large */
	JUMP_SIZE_MAX = 8,    /* bytes of a jump through a register or memory */
};

static bool shadow_is_near(uint64_t a, uint64_t b)
{
	return a - b + SHADOW_FAR < 2ULL * SHADOW_FAR;
}

static struct shadow_frame *shadow_top(const struct shadow *s)
{
	return s->nr ? &s->list[s->nr - 1] : NULL;
}

static void shadow_push(struct shadow *s, enum shadow_kind kind, uint64_t pc, uint64_t at)
{
	ALLOC_GROW(s->list, s->nr, s->alloc);
	s->list[s->nr++] = (struct shadow_frame){kind, pc, at};
}

static void shadow_push_call(struct shadow *s, uint64_t sp)
{
	uint64_t ra = 0;

	read_target(&ra, sizeof(ra), sp);
	shadow_push(s, SHADOW_CALL, ra, sp);
}

/* Adds a signal: BEFORE are the interrupted registers, AFTER the registers at the handler's
 * beginning. */
static void shadow_signal(struct shadow *s, const struct user_regs_struct *before,
	const struct user_regs_struct *after)
{
	shadow_push(s, SHADOW_SIGNAL, before->rip, before->rsp);
	shadow_push_call(s, after->rsp);
}

/* Switches stacks: to the one that was left last, or to a new one. */
static void shadow_switch(struct shadow *s, uint64_t from, uint64_t to)
{
	size_t nr = s->nr;

	while (nr && s->list[nr - 1].kind == SHADOW_CALL)
		nr--;
	/* on that stack the program continues where it left it; a call in between has left it once
	 * more */
	if (nr && s->list[nr - 1].kind == SHADOW_STACK && shadow_is_near(s->list[nr - 1].at, to) &&
		(!s->goes_on || nr == s->nr)) {
		s->nr = nr - 1;
		return;
	}
	shadow_push(s, SHADOW_STACK, 0, from);
	if (!s->goes_on)
		shadow_push_call(s, to);
}

/* Removes the frames whose return addresses are below SP. Returns whether there were any. */
static bool shadow_drop(struct shadow *s, uint64_t sp)
{
	const struct shadow_frame *top;
	bool dropped = false;

	while ((top = shadow_top(s)) && top->kind == SHADOW_CALL && top->at < sp) {
		s->nr--;
		dropped = true;
	}
	return dropped;
}

/* Whether a jump, with its return address on the stack, was a call, which returns to the
 * instruction after it. */
static bool shadow_is_call(
	const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	uint64_t ra;

	return !read_target(&ra, sizeof(ra), after->rsp) && ra - before->rip - 1 < JUMP_SIZE_MAX;
}

/* Updates the shadow after INSN has been executed; AFTER are the registers. */
static void shadow_step(struct shadow *s, enum stepping_insn insn,
	const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	const struct shadow_frame *top = shadow_top(s);
	bool moved = !shadow_is_near(before->rsp, after->rsp);

	if (top && top->kind == SHADOW_SIGNAL && top->pc == after->rip && top->at == after->rsp) {
		s->nr--;
		return;
	}
	if (moved)
		shadow_switch(s, before->rsp, after->rsp);
	moved &= !s->goes_on;
	moved |= shadow_drop(s, after->rsp);
	if (insn == INSN_CALL || (insn == INSN_JUMP && shadow_is_call(before, after)))
		shadow_push_call(s, after->rsp);
	if (insn == INSN_RET || insn == INSN_JUMP)
		s->is_moving = false;
	else if (moved)
		s->is_moving = true;
}

/* Returns false if the program has overwritten a return address. */
static bool shadow_is_intact(const struct shadow *s)
{
	uint64_t ra;

	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].kind == SHADOW_CALL &&
			(read_target(&ra, sizeof(ra), s->list[i].at) || ra != s->list[i].pc))
			return false;
	return true;
}

#endif
