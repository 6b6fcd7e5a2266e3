/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cfa.h"
#include "format.h"
#include "pointer.h"
#include "range.h"
#include "rows.h"

#include <dwarf.h>

enum { STACK_MAX = 32 }; /* nested DW_CFA_remember_state; compilers need one or two */

struct cfa_machine {
	const struct cfa_common *common;
	struct bytes program;
	struct cfa_state now, stack[STACK_MAX];
	unsigned int depth;
	uint64_t at;
	const struct unwind_range *range; /* or NULL for a CIE's program */
	struct unwind_rows *rows;
};

/* Lets the runtimes change RULE, which is valid in a whole function of SIZE bytes. */
static void mark(const struct cfa_machine *m, uint64_t size, struct unwind_rule *rule)
{
	for (const struct unwind_source *const *s = m->rows->sources; s && *s; s++)
		if ((*s)->mark)
			(*s)->mark(&m->now, size, rule);
}

/* Adds a row from M's location to END. */
static void add_row(struct cfa_machine *m, uint64_t end, bool known)
{
	struct unwind_rule rule;

	if (m->at >= m->range->to || end <= m->range->from || m->at == end)
		return;
	known = known && cfa_rule(m->common, &m->now, &rule);
	if (known && cfa_is_host(&m->now))
		m->rows->host = rule;
	if (known && m->at == m->range->start && end == m->range->to)
		mark(m, end - m->at, &rule);
	unwind_rows_add_in(m->rows, m->range, m->at, end, known ? &rule : NULL);
}

static bool move_to(struct cfa_machine *m, uint64_t to)
{
	if (!m->range || to < m->at)
		return false;
	add_row(m, to, true);
	m->at = to;
	return true;
}

static bool advance(struct cfa_machine *m, uint64_t n)
{
	uint64_t to;

	if (__builtin_mul_overflow(n, m->common->code_align, &n) ||
		__builtin_add_overflow(m->at, n, &to))
		to = UINT64_MAX;
	return move_to(m, to);
}

static bool set_location(struct cfa_machine *m)
{
	uint64_t to;

	return pointer_read(&m->program, m->common->bases, m->common->encoding, &to) &&
	       move_to(m, to);
}

static struct cfa_place offset_place(
	const struct cfa_machine *m, enum cfa_how how, int64_t factored)
{
	struct cfa_place place = {.how = how};

	if (__builtin_mul_overflow(factored, m->common->data_align, &place.offset))
		place.how = CFA_OTHER;
	return place;
}

static struct cfa_place plain_offset(uint64_t offset)
{
	if (offset > INT64_MAX)
		return (struct cfa_place){.how = CFA_OTHER};
	return (struct cfa_place){.how = CFA_OFFSET, .offset = (int64_t)offset};
}

static int64_t unsigned_factor(struct cfa_machine *m)
{
	uint64_t n = bytes_uleb(&m->program);

	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static struct cfa_place expression(struct cfa_machine *m)
{
	uint64_t size = bytes_uleb(&m->program);
	const unsigned char *at = bytes_take(&m->program, size);

	if (!at || size > UINT32_MAX)
		return (struct cfa_place){.how = CFA_OTHER};
	return (struct cfa_place){.how = CFA_EXPRESSION, .size = (uint32_t)size, .expression = at};
}

/* Returns the place of REG in STATE, or NULL if REG is not tracked. */
static struct cfa_place *place_of(struct cfa_state *state, uint64_t reg)
{
	switch (reg) {
	case REG_PC:
		return &state->saved[CFA_RA];
	case REG_BASE:
		return &state->saved[CFA_BASE];
	case REG_FP:
		return &state->saved[CFA_FP];
	case REG_SP:
		return &state->saved[CFA_SP];
	case REG_KEPT ... REG_KEPT + REGS_KEPT - 1:
		return &state->saved[CFA_KEPT + reg - REG_KEPT];
	}
	return NULL;
}

static void save(struct cfa_machine *m, uint64_t reg, struct cfa_place place)
{
	struct cfa_place *to = place_of(&m->now, reg);

	if (to)
		*to = place;
}

static bool restore(struct cfa_machine *m, uint64_t reg)
{
	struct cfa_state initial = m->common->initial;
	const struct cfa_place *from = place_of(&initial, reg);

	if (from)
		save(m, reg, *from);
	return m->range;
}

static bool remember(struct cfa_machine *m)
{
	if (m->depth == STACK_MAX)
		return false;
	m->stack[m->depth++] = m->now;
	return true;
}

static bool recall(struct cfa_machine *m)
{
	if (!m->depth)
		return false;
	m->now = m->stack[--m->depth];
	return true;
}

/* Changes the register or the offset of a CFA that must consist of these two. */
static void set_cfa_offset(struct cfa_machine *m, struct cfa_place place)
{
	m->now.cfa = m->now.cfa.how == CFA_OFFSET ? place : (struct cfa_place){.how = CFA_OTHER};
}

static void set_cfa_register(struct cfa_machine *m, uint64_t reg)
{
	set_cfa_offset(m, m->now.cfa);
	m->now.reg = reg;
}

/* Returns false if OPCODE does not define the CFA. */
static bool define_cfa(struct cfa_machine *m, unsigned char opcode)
{
	struct bytes *b = &m->program;

	switch (opcode) {
	case DW_CFA_def_cfa:
		m->now.reg = bytes_uleb(b);
		m->now.cfa = plain_offset(bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_sf:
		m->now.reg = bytes_uleb(b);
		m->now.cfa = offset_place(m, CFA_OFFSET, bytes_sleb(b));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa_register(m, bytes_uleb(b));
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_offset(m, plain_offset(bytes_uleb(b)));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_offset(m, offset_place(m, CFA_OFFSET, bytes_sleb(b)));
		return true;
	case DW_CFA_def_cfa_expression:
		m->now.cfa = expression(m);
		return true;
	}
	return false;
}

static struct cfa_place in_register(struct cfa_machine *m)
{
	uint64_t reg = bytes_uleb(&m->program);

	return (struct cfa_place){
		.how = CFA_REGISTER, .offset = reg > INT64_MAX ? INT64_MAX : (int64_t)reg};
}

static struct cfa_place value_expression(struct cfa_machine *m)
{
	struct cfa_place place = expression(m);

	if (place.how == CFA_EXPRESSION)
		place.how = CFA_VALUE_EXPRESSION;
	return place;
}

/* Returns false if OPCODE does not define where a register is saved. */
static bool define_register(struct cfa_machine *m, unsigned char opcode)
{
	struct bytes operands = m->program, *b = &m->program;
	uint64_t reg = bytes_uleb(b);

	switch (opcode) {
	case DW_CFA_undefined:
		save(m, reg, (struct cfa_place){.how = CFA_UNDEFINED});
		return true;
	case DW_CFA_same_value:
		save(m, reg, (struct cfa_place){.how = CFA_SAME});
		return true;
	case DW_CFA_offset_extended:
		save(m, reg, offset_place(m, CFA_OFFSET, unsigned_factor(m)));
		return true;
	case DW_CFA_offset_extended_sf:
		save(m, reg, offset_place(m, CFA_OFFSET, bytes_sleb(b)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		save(m, reg, offset_place(m, CFA_OFFSET, -unsigned_factor(m)));
		return true;
	case DW_CFA_val_offset:
		save(m, reg, offset_place(m, CFA_VALUE, unsigned_factor(m)));
		return true;
	case DW_CFA_val_offset_sf:
		save(m, reg, offset_place(m, CFA_VALUE, bytes_sleb(b)));
		return true;
	case DW_CFA_expression:
		save(m, reg, expression(m));
		return true;
	case DW_CFA_register:
		save(m, reg, in_register(m));
		return true;
	case DW_CFA_val_expression:
		save(m, reg, value_expression(m));
		return true;
	}
	m->program = operands;
	return false;
}

/* Returns false if OPCODE is unknown, or invalid here. */
static bool do_other(struct cfa_machine *m, unsigned char opcode)
{
	switch (opcode) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_location(m);
	case DW_CFA_advance_loc1:
		return advance(m, bytes_number(&m->program, 1));
	case DW_CFA_advance_loc2:
		return advance(m, bytes_number(&m->program, 2));
	case DW_CFA_advance_loc4:
		return advance(m, bytes_number(&m->program, 4));
	case DW_CFA_restore_extended:
		return restore(m, bytes_uleb(&m->program));
	case DW_CFA_remember_state:
		return remember(m);
	case DW_CFA_restore_state:
		return recall(m);
	case DW_CFA_GNU_args_size:
		bytes_uleb(&m->program);
		return true;
	}
	return false;
}

static bool step(struct cfa_machine *m)
{
	unsigned char opcode = (unsigned char)bytes_number(&m->program, 1), low = opcode & 0x3f;

	switch (opcode & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(m, low);
	case DW_CFA_offset:
		save(m, low, offset_place(m, CFA_OFFSET, unsigned_factor(m)));
		return true;
	case DW_CFA_restore:
		return restore(m, low);
	}
	return define_cfa(m, opcode) || define_register(m, opcode) || do_other(m, opcode);
}

/* Runs to the end of the program or the range. Returns false if the rest is malformed. */
static bool run(struct cfa_machine *m)
{
	while (m->program.at < m->program.end && (!m->range || m->at < m->range->to))
		if (!step(m) || m->program.bad)
			return false;
	return true;
}

bool cfa_begin(struct cfa_common *common, struct bytes program)
{
	struct cfa_machine m = {.common = common, .program = program};
	bool whole = run(&m);

	common->initial = m.now;
	return whole;
}

void cfa_run(const struct cfa_common *common, struct bytes program,
	const struct unwind_range *range, struct unwind_rows *rows)
{
	struct cfa_machine m; /* m.stack is large, and is not initialised */

	m.common = common;
	m.program = program;
	m.now = common->initial;
	m.depth = 0;
	m.at = range->start;
	m.range = range;
	m.rows = rows;
	bool whole = run(&m);

	add_row(&m, range->to, whole);
}
