/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns states into rules, including those DWARF expressions that the format can express. */
#include "cfa.h"
#include "format.h"

#include <dwarf.h>

enum { HOST_MIN = 4096, HOST_MAX = 1 << 20 }; /* bytes; GHC's stack for C code has 16 KB */

enum { OPS_MAX = 9, EXPRESSION_MAX = 64 }; /* bytes; supported expressions are shorter */

/*
 * Simplified operations of an expression. OP_REG pushes the sum of a register, 8 times register
 * INDEX - 1 if INDEX is not 0, and N. OP_INDEX does the same without the first register. OP_CONST
 * pushes N, and OP_ADD adds N to the top. The other kinds are DWARF operations without operands.
 */
enum {
	OP_REG = DW_OP_breg0,
	OP_INDEX = DW_OP_breg1,
	OP_CONST = DW_OP_lit0,
	OP_ADD = DW_OP_plus_uconst,
};
struct op {
	unsigned char kind, reg, index;
	int64_t n;
};

struct ops {
	struct op list[OPS_MAX];
	unsigned int nr;
};

static int64_t read_constant(struct bytes *b, unsigned char code)
{
	switch (code) {
	case DW_OP_const1u:
		return (int64_t)bytes_number(b, 1);
	case DW_OP_const1s:
		return (int8_t)bytes_number(b, 1);
	case DW_OP_const2u:
		return (int64_t)bytes_number(b, 2);
	case DW_OP_const2s:
		return (int16_t)bytes_number(b, 2);
	case DW_OP_const4u:
		return (int64_t)bytes_number(b, 4);
	case DW_OP_const4s:
		return (int32_t)bytes_number(b, 4);
	case DW_OP_const8u:
	case DW_OP_const8s:
		return (int64_t)bytes_number(b, 8);
	case DW_OP_constu:
		return (int64_t)bytes_uleb(b);
	}
	return bytes_sleb(b);
}

static struct op read_op(struct bytes *b)
{
	unsigned char code = (unsigned char)bytes_number(b, 1);

	switch (code) {
	case DW_OP_breg0 ... DW_OP_breg31:
		return (struct op){OP_REG, (unsigned char)(code - DW_OP_breg0), 0, bytes_sleb(b)};
	case DW_OP_lit0 ... DW_OP_lit31:
		return (struct op){OP_CONST, 0, 0, code - DW_OP_lit0};
	case DW_OP_const1u ... DW_OP_consts:
		return (struct op){OP_CONST, 0, 0, read_constant(b, code)};
	case DW_OP_plus_uconst:
		return (struct op){OP_ADD, 0, 0, (int64_t)bytes_uleb(b)};
	case DW_OP_deref:
	case DW_OP_and:
	case DW_OP_ge:
	case DW_OP_mul:
	case DW_OP_shl:
	case DW_OP_plus:
		return (struct op){code, 0, 0, 0};
	}
	b->bad = true;
	return (struct op){0};
}

/*
 * Returns true if the last two operations are a register without index (A) and an operation of KIND
 * (B), in either order.
 */
static bool last_two(const struct ops *ops, unsigned char kind, struct op *a, struct op *b)
{
	if (ops->nr < 2)
		return false;
	*a = ops->list[ops->nr - 2];
	*b = ops->list[ops->nr - 1];
	if (a->kind == kind) {
		*a = *b;
		*b = ops->list[ops->nr - 2];
	}
	return a->kind == OP_REG && !a->index && b->kind == kind;
}

/*
 * Merges the last two operations into an index if they are a register and 8, and KIND multiplies.
 */
static bool join_product(struct ops *ops, unsigned char kind)
{
	struct op a, b;
	int64_t n;

	if (kind != DW_OP_mul || !last_two(ops, OP_CONST, &a, &b) || b.n != 8 || a.reg >= REG_PC ||
		__builtin_mul_overflow(a.n, 8, &n))
		return false;
	ops->list[--ops->nr - 1] = (struct op){OP_INDEX, 0, (unsigned char)(a.reg + 1), n};
	return true;
}

/* Merges the last two operations if they are a register and an index, and KIND adds. */
static bool join_sum(struct ops *ops, unsigned char kind)
{
	struct op a, b;
	int64_t n;

	if (kind != DW_OP_plus || !last_two(ops, OP_INDEX, &a, &b) ||
		__builtin_add_overflow(a.n, b.n, &n))
		return false;
	ops->list[--ops->nr - 1] = (struct op){OP_REG, a.reg, b.index, n};
	return true;
}

/*
 * Appends OP, or merges it into a preceding sum. Returns false on overflow, or if there are too
 * many.
 */
static bool push(struct ops *ops, struct op op)
{
	struct op *last = ops->nr ? &ops->list[ops->nr - 1] : NULL;

	if (join_product(ops, op.kind) || join_sum(ops, op.kind))
		return true;
	if (op.kind == DW_OP_plus && last && last->kind == OP_CONST) {
		op = (struct op){OP_ADD, 0, 0, last->n};
		ops->nr--;
		last = ops->nr ? last - 1 : NULL;
	}
	if (op.kind == OP_ADD && last &&
		(last->kind == OP_REG || last->kind == OP_INDEX || last->kind == OP_ADD))
		return !__builtin_add_overflow(last->n, op.n, &last->n);
	if (ops->nr == OPS_MAX)
		return false;
	ops->list[ops->nr++] = op;
	return true;
}

static bool read_ops(const struct cfa_place *place, struct ops *ops)
{
	struct bytes b = {.at = place->expression, .end = place->expression + place->size};

	ops->nr = 0;
	if (place->size > EXPRESSION_MAX)
		return false;
	while (b.at < b.end) {
		struct op op = read_op(&b);

		if (b.bad || !push(ops, op))
			return false;
	}
	return true;
}

static bool has_kinds(const struct ops *ops, const unsigned char *kinds, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (ops->nr != n || ops->list[i].kind != kinds[i])
			return false;
	return true;
}

/*
 * Returns true for the CFA in a PLT, which is 8 higher in the last instructions of each 16-byte
 * entry.
 */
static bool is_plt(const struct ops *ops)
{
	static const unsigned char kinds[] = {OP_REG, OP_REG, OP_CONST, DW_OP_and, OP_CONST,
		DW_OP_ge, OP_CONST, DW_OP_shl, DW_OP_plus};
	const struct op *op = ops->list;

	return has_kinds(ops, kinds, sizeof(kinds)) && !op[0].index && op[1].reg == REG_PC &&
	       !op[1].index && !op[1].n && op[2].n == 15 && op[6].n == 3;
}

static bool is_deref(const struct ops *ops)
{
	static const unsigned char kinds[] = {OP_REG, DW_OP_deref, OP_ADD};

	return has_kinds(ops, kinds, 2) || has_kinds(ops, kinds, 3);
}

static bool set_cfa(
	struct unwind_rule *rule, enum unwind_cfa cfa, uint64_t reg, int64_t offset, int64_t add)
{
	if (reg >= REG_PC || offset != (int32_t)offset || add != (int16_t)add)
		return false;
	rule->cfa = (uint8_t)cfa & 0xf;
	rule->reg = (uint8_t)reg;
	rule->offset = (int32_t)offset;
	rule->add = (int16_t)add;
	return true;
}

static bool cfa_by_expression(struct unwind_rule *rule, const struct cfa_place *place)
{
	struct ops ops;
	const struct op *op = ops.list;

	if (!read_ops(place, &ops))
		return false;
	rule->index = ops.nr ? op->index : 0;
	if (ops.nr == 1 && op->kind == OP_REG)
		return set_cfa(rule, UNWIND_CFA_REG, op->reg, op->n, 0);
	if (is_deref(&ops))
		return set_cfa(rule, UNWIND_CFA_DEREF, op->reg, op->n, ops.nr == 3 ? op[2].n : 0);
	return is_plt(&ops) && set_cfa(rule, UNWIND_CFA_PLT, op->reg, op->n, op[4].n);
}

static bool cfa_of(struct unwind_rule *rule, const struct cfa_state *state)
{
	switch (state->cfa.how) {
	case CFA_OFFSET:
		return set_cfa(rule, UNWIND_CFA_REG, state->reg, state->cfa.offset, 0);
	case CFA_EXPRESSION:
		return cfa_by_expression(rule, &state->cfa);
	default:
		return false;
	}
}

static bool slot_of(int64_t offset, int16_t *slot)
{
	*slot = (int16_t)(offset / 8);
	return *slot * 8 == offset;
}

/* Returns true if the expression of PLACE is REG + *OFFSET. */
static bool is_sum(const struct cfa_place *place, uint64_t reg, int64_t *offset)
{
	struct ops ops;

	if (!read_ops(place, &ops) || ops.nr != 1 || ops.list[0].kind != OP_REG ||
		ops.list[0].reg != reg || ops.list[0].index)
		return false;
	*offset = ops.list[0].n;
	return true;
}

/* Returns true if PLACE is memory at REG + *OFFSET. */
static bool is_at(const struct cfa_place *place, unsigned char reg, int64_t *offset)
{
	return place->how == CFA_EXPRESSION && is_sum(place, reg, offset);
}

static enum unwind_saved saved_at(const struct cfa_place *place, int16_t *slot)
{
	int64_t offset;

	*slot = 0;
	if (place->how == CFA_UNSPECIFIED || place->how == CFA_SAME)
		return UNWIND_SAME;
	if (place->how == CFA_OFFSET && slot_of(place->offset, slot))
		return UNWIND_AT_CFA;
	if (is_at(place, REG_FP, &offset) && slot_of(offset, slot))
		return UNWIND_AT_FP;
	*slot = 0;
	return UNWIND_LOST;
}

/* Returns true if PLACE is unspecified, or at offset WHERE in the sigcontext at REG_SP + CONTEXT.
 */
static bool is_in_context(const struct cfa_place *place, int64_t context, int64_t where)
{
	int64_t offset;

	return place->how == CFA_UNSPECIFIED ||
	       (is_at(place, REG_SP, &offset) && offset == context + where);
}

/* Makes the rule of a signal return trampoline: all registers are in the kernel's sigcontext. */
static bool signal_rule(struct unwind_rule *rule, const struct cfa_state *state)
{
	const struct cfa_place *saved = state->saved;
	struct unwind_rule sp = {0};
	int64_t context;

	if (!is_at(&saved[CFA_RA], REG_SP, &context) || context != (int32_t)context)
		return false;
	context -= CONTEXT_PC;
	return cfa_of(&sp, state) && sp.cfa == UNWIND_CFA_DEREF && sp.reg == REG_SP && !sp.index &&
	       !sp.add && sp.offset - CONTEXT_SP == context &&
	       is_in_context(&saved[CFA_SP], context, CONTEXT_SP) &&
	       is_in_context(&saved[CFA_FP], context, CONTEXT_FP) &&
	       is_in_context(&saved[CFA_BASE], context, CONTEXT_BASE) &&
	       set_cfa(rule, UNWIND_CFA_SIGNAL, REG_SP, context, 0);
}

static bool is_root(const struct cfa_state *state)
{
	return state->saved[CFA_RA].how == CFA_UNDEFINED || state->cfa.how == CFA_UNSPECIFIED;
}

/*
 * Sets *ABOVE to the distance from the CFA up to the caller's REG_SP. Returns false if it is not
 * known.
 */
static bool find_sp(const struct cfa_state *state, int64_t *above)
{
	const struct cfa_place *sp = &state->saved[CFA_SP];

	*above = sp->how == CFA_VALUE ? sp->offset : 0;
	if (sp->how == CFA_UNSPECIFIED || sp->how == CFA_VALUE)
		return true;
	return sp->how == CFA_VALUE_EXPRESSION && state->cfa.how == CFA_OFFSET &&
	       is_sum(sp, state->reg, above) &&
	       !__builtin_sub_overflow(*above, state->cfa.offset, above);
}

bool cfa_is_host(const struct cfa_state *state)
{
	int64_t above;

	return state->saved[CFA_SP].how == CFA_VALUE_EXPRESSION && find_sp(state, &above) &&
	       above >= HOST_MIN && above <= HOST_MAX;
}

/* Moves the CFA up by ABOVE bytes. Returns false if it is not a register plus a constant. */
static bool move_cfa(struct cfa_state *state, int64_t above)
{
	if (state->cfa.how != CFA_OFFSET ||
		__builtin_add_overflow(state->cfa.offset, above, &state->cfa.offset))
		return false;
	for (int i = 0; i < CFA_TRACKED; i++) {
		struct cfa_place *place = &state->saved[i];

		if (place->how == CFA_OFFSET &&
			__builtin_sub_overflow(place->offset, above, &place->offset))
			return false;
	}
	return true;
}

static bool ra_of(struct unwind_rule *rule, const struct cfa_place *ra)
{
	if (ra->how == CFA_REGISTER && ra->offset < REG_PC) {
		rule->ra = (int16_t)(UNWIND_RA_REG + ra->offset);
		return true;
	}
	return ra->how == CFA_OFFSET && slot_of(ra->offset, &rule->ra) && rule->ra < UNWIND_RA_REG;
}

/* Returns the mask of the registers from REG_KEPT on that the function has saved. */
static uint8_t lost_of(const struct cfa_state *state)
{
	unsigned int lost = 0;

	for (int i = CFA_KEPT; i < CFA_TRACKED; i++)
		lost |= (state->saved[i].how != CFA_UNSPECIFIED && state->saved[i].how != CFA_SAME)
			<< (i - CFA_KEPT);
	return (uint8_t)lost;
}

/* Makes the RULE of STATE, in which the caller's REG_SP is the CFA. */
static bool plain_rule(struct unwind_rule *rule, const struct cfa_state *state)
{
	if (!ra_of(rule, &state->saved[CFA_RA]) || !cfa_of(rule, state))
		return false;
	rule->fp_saved = (uint8_t)saved_at(&state->saved[CFA_FP], &rule->fp);
	rule->base_saved = (uint8_t)saved_at(&state->saved[CFA_BASE], &rule->base);
	rule->lost = lost_of(state) & 0xf;
	return true;
}

bool cfa_rule(
	const struct cfa_common *common, const struct cfa_state *state, struct unwind_rule *rule)
{
	struct cfa_state moved;
	int64_t above;

	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_ROOT};
	if (is_root(state))
		return true;
	if (common->signal && signal_rule(rule, state))
		return true;
	if (!find_sp(state, &above))
		return false;
	if (!above)
		return plain_rule(rule, state);
	moved = *state;
	return move_cfa(&moved, above) && plain_rule(rule, &moved);
}
