/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_rule.h"
#include "arch/x86_64/stack_state.h"
#include "unwind/format.h"

#include <string.h>

enum { BASES = 3 }; /* the first registers of stack_state_order, to which places are relative */

/* Converts DISTANCE, from the CFA or the frame pointer, to a SLOT. Returns false if it is not a
 * valid slot. */
static bool slot_of(int64_t distance, int16_t *slot)
{
	if (distance % 8 || distance / 8 != (int16_t)(distance / 8))
		return false;
	*slot = (int16_t)(distance / 8);
	return true;
}

/* Finds where the caller's value of REG is. */
static enum unwind_saved find_saved(const struct stack_state *s, unsigned int reg, int16_t *slot)
{
	struct stack_value own = {STACK_CALLER, (int32_t)reg}, fp = s->reg[INSN_FP];

	if (stack_value_equal(s->reg[reg], own))
		return UNWIND_SAME;
	for (uint8_t i = 0; i < s->nr_slots; i++) {
		struct stack_value where = s->slot[i].where;

		if (!stack_value_equal(s->slot[i].what, own))
			continue;
		if (where.kind == STACK_CFA && slot_of(where.at, slot))
			return UNWIND_AT_CFA;
		if (where.kind == STACK_BASE && fp.kind == STACK_BASE &&
			slot_of((int64_t)where.at - fp.at, slot))
			return UNWIND_AT_FP;
	}
	return UNWIND_LOST;
}

/* Returns true if there is a frame pointer. */
static bool has_frame_pointer(const struct stack_state *s)
{
	int16_t slot;

	return stack_value_equal(s->reg[INSN_FP], (struct stack_value){STACK_CFA, -16}) &&
	       find_saved(s, INSN_FP, &slot) == UNWIND_AT_CFA && slot == -2;
}

/*
 * Sets a CFA that is relative to a register. A frame pointer comes first, because functions that
 * remove their arguments (V8) change the stack pointer over a call.
 */
static bool set_cfa(const struct stack_state *s, struct unwind_rule *rule)
{
	for (unsigned int i = has_frame_pointer(s) ? 1 : 0; i < INSN_REGS; i++) {
		struct stack_value v = s->reg[stack_state_order[i]];

		if (v.kind != STACK_CFA)
			continue;
		rule->cfa = UNWIND_CFA_REG;
		rule->reg = insn_dwarf_number(stack_state_order[i]);
		rule->offset = -v.at;
		return true;
	}
	return false;
}

/* Sets a CFA that is saved in memory relative to a register. */
static bool set_cfa_saved(const struct stack_state *s, struct unwind_rule *rule)
{
	for (unsigned int i = 0; i < BASES; i++)
		for (uint8_t k = 0;
			k < s->nr_slots && s->reg[stack_state_order[i]].kind == STACK_BASE; k++) {
			const struct stack_slot *slot = &s->slot[k];

			if (slot->where.kind != STACK_BASE || slot->what.kind != STACK_CFA ||
				slot->what.at != (int16_t)slot->what.at ||
				slot->what.at == INT16_MIN)
				continue;
			rule->cfa = UNWIND_CFA_DEREF;
			rule->reg = insn_dwarf_number(stack_state_order[i]);
			rule->offset = slot->where.at - s->reg[stack_state_order[i]].at;
			rule->add = (int16_t)-slot->what.at;
			return true;
		}
	return false;
}

bool stack_rule(const struct stack_state *s, struct unwind_rule *rule)
{
	unsigned int lost = 0;

	memset(rule, 0, sizeof(*rule));
	if (!set_cfa(s, rule) && !set_cfa_saved(s, rule))
		return false;
	for (int i = INSN_KEPT; i < INSN_KEPT + REGS_KEPT; i++)
		if (!stack_value_equal(s->reg[i], (struct stack_value){STACK_CALLER, i}))
			lost |= 1U << (i - INSN_KEPT);
	rule->lost = lost & 15;
	rule->ra = -1;
	rule->fp_saved = find_saved(s, INSN_FP, &rule->fp) & 15;
	rule->base_saved = find_saved(s, INSN_BASE, &rule->base) & 15;
	return true;
}
