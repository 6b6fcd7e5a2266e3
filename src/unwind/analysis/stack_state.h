/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a function's code has done with the stack up to some instruction: where its CFA (the
 * caller's rsp) can be found, and the registers that it has to keep for its caller.
 */
#ifndef UNWIND_ANALYSIS_STACK_STATE_H
#define UNWIND_ANALYSIS_STACK_STATE_H

#include "insn.h"

struct unwind_rule;

enum stack_value_kind {
	STACK_UNKNOWN,
	STACK_CFA,    /* CFA + at */
	STACK_BASE,   /* at bytes from where rsp was last aligned or moved by a variable */
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
	bool after_call; /* reached only if a call returns, and some never do */
};

bool stack_value_equal(struct stack_value a, struct stack_value b);

/* At the start of a function. */
void stack_state_begin(struct stack_state *s);
/* Runs INSN; what it jumps to is not followed, and what it calls changes all that the ABI allows.
 */
void stack_state_run(struct stack_state *s, const struct insn *insn);
/* Runs a call of a function that changes no others of the registers than WRITES, a mask. */
void stack_state_call(struct stack_state *s, uint32_t writes);
/* Whether something is known of registers that calls may change. */
bool stack_state_has_scratch(const struct stack_state *s);
/* Forgets what is not so in FROM, too. True: there was such. */
bool stack_state_join(struct stack_state *s, const struct stack_state *from);
/* False: no rule is known. */
bool stack_state_rule(const struct stack_state *s, struct unwind_rule *rule);

#endif
