/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of a function's code on the stack up to an instruction: where its CFA (the caller's
 * rsp) can be found, and where the registers are that it has to preserve for its caller.
 */
#ifndef ARCH_X86_64_STACK_STATE_H
#define ARCH_X86_64_STACK_STATE_H

#include "insn.h"

enum stack_value_kind {
	STACK_UNKNOWN,
	STACK_CFA,    /* CFA + at */
	STACK_BASE,   /* at bytes from rsp after its last alignment or variable change */
	STACK_CALLER, /* the caller's value of register at */
};

struct stack_value {
	uint32_t kind : 2; /* enum stack_value_kind */
	int32_t at : 30;
};

enum { STACK_SLOTS = 12 };

struct stack_state {
	struct stack_value reg[INSN_REGS];
	struct stack_slot {
		struct stack_value where, what;
	} slot[STACK_SLOTS]; /* memory whose content is known */
	uint8_t nr_slots;
	bool after_call; /* reached only if a call returns, and some calls never do */
};

bool stack_value_equal(struct stack_value a, struct stack_value b);

/* Sets the state at the start of a function. */
void stack_state_begin(struct stack_state *s);
/* Runs INSN. Jumps are not followed; a call changes all registers that the ABI lets it change. */
void stack_state_run(struct stack_state *s, const struct insn *insn);
/* Runs a call of a function that changes no registers but those in the mask WRITES. */
void stack_state_call(struct stack_state *s, uint32_t writes);
/* Returns true if the value of a register that calls may change is known. */
bool stack_state_has_scratch(const struct stack_state *s);
/* Forgets the values that differ in FROM. Returns true if there were any. */
bool stack_state_join(struct stack_state *s, const struct stack_state *from);
/*
 * The registers in the order in which a CFA should be relative to them: first the stack pointer,
 * the frame pointer and the base, then the others, beginning with those that calls preserve.
 */
extern const uint8_t stack_state_order[INSN_REGS];

#endif
