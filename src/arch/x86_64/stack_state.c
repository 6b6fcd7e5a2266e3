/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_state.h"

#include <string.h>

enum {
	FAR = 1 << 28, /* bytes: values at a larger distance are not followed */
	ALL_REGS = (1 << INSN_REGS) - 1,
	GROUP_ADD = 0,
	GROUP_AND = 4,
	GROUP_SUB = 5,
	GROUP_PUSH = 6,
};

/* Returns true for registers that a callee must preserve (System V ABI of x86-64, 3.2.1). */
static bool is_kept(unsigned int reg)
{
	return reg == INSN_RBX || reg == INSN_RBP || (reg >= INSN_R12 && reg <= INSN_R15);
}

bool stack_value_equal(struct stack_value a, struct stack_value b)
{
	return a.kind == b.kind && a.at == b.at;
}

static struct stack_value unknown(void)
{
	return (struct stack_value){.kind = STACK_UNKNOWN};
}

static bool is_address(struct stack_value v)
{
	return v.kind == STACK_CFA || v.kind == STACK_BASE;
}

static struct stack_value plus(struct stack_value v, int64_t bytes)
{
	int64_t at = v.at + bytes;

	if (!is_address(v) || bytes > FAR || bytes < -FAR || at > FAR || at < -FAR)
		return unknown();
	v.at = (int32_t)at;
	return v;
}

void stack_state_begin(struct stack_state *s)
{
	memset(s, 0, sizeof(*s));
	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (is_kept(i))
			s->reg[i] = (struct stack_value){STACK_CALLER, (int32_t)i};
	s->reg[INSN_RSP] = (struct stack_value){STACK_CFA, -8};
}

/* Forgets what is in the SIZE bytes at WHERE. */
static void forget_memory(struct stack_state *s, struct stack_value where, unsigned int size)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < s->nr_slots; i++) {
		const struct stack_slot *slot = &s->slot[i];

		if (slot->where.kind != where.kind || slot->where.at >= where.at + (int64_t)size ||
			slot->where.at + 8 <= where.at)
			s->slot[kept++] = *slot;
	}
	s->nr_slots = kept;
}

static void store(struct stack_state *s, struct stack_value where, struct stack_value what)
{
	if (!is_address(where))
		return;
	forget_memory(s, where, 8);
	if ((what.kind == STACK_CFA || what.kind == STACK_CALLER) && s->nr_slots < STACK_SLOTS)
		s->slot[s->nr_slots++] = (struct stack_slot){where, what};
}

static struct stack_value load(const struct stack_state *s, struct stack_value where)
{
	for (uint8_t i = 0; i < s->nr_slots; i++)
		if (stack_value_equal(s->slot[i].where, where))
			return s->slot[i].what;
	return unknown();
}

static void push(struct stack_state *s, struct stack_value what)
{
	s->reg[INSN_RSP] = plus(s->reg[INSN_RSP], -8);
	store(s, s->reg[INSN_RSP], what);
}

static struct stack_value pop(struct stack_state *s)
{
	struct stack_value what = load(s, s->reg[INSN_RSP]);

	s->reg[INSN_RSP] = plus(s->reg[INSN_RSP], 8);
	return what;
}

/* Records that the distance from rsp to the CFA becomes unknown. */
static void move_base(struct stack_state *s)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < s->nr_slots; i++)
		if (s->slot[i].where.kind != STACK_BASE)
			s->slot[kept++] = s->slot[i];
	s->nr_slots = kept;
	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (s->reg[i].kind == STACK_BASE)
			s->reg[i] = unknown();
	s->reg[INSN_RSP] = (struct stack_value){STACK_BASE, 0};
}

static struct stack_value address_of(const struct stack_state *s, const struct insn *insn)
{
	if (!insn->is_memory || insn->segment || insn->address32 || insn->index != INSN_NO_REG ||
		insn->base >= INSN_REGS)
		return unknown();
	return plus(s->reg[insn->base], insn->displacement);
}

/* Memory below rsp belongs to the callee's frame. */
void stack_state_call(struct stack_state *s, uint32_t writes)
{
	uint8_t kept = 0;

	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (!is_kept(i) && i != INSN_RSP && writes >> i & 1)
			s->reg[i] = unknown();
	for (uint8_t i = 0; i < s->nr_slots; i++)
		if (s->slot[i].where.kind != s->reg[INSN_RSP].kind ||
			s->slot[i].where.at >= s->reg[INSN_RSP].at)
			s->slot[kept++] = s->slot[i];
	s->nr_slots = kept;
}

bool stack_state_has_scratch(const struct stack_state *s)
{
	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (!is_kept(i) && i != INSN_RSP && s->reg[i].kind != STACK_UNKNOWN)
			return true;
	return false;
}

/* Runs add, sub or and of a number. Returns false for another instruction. */
static bool run_arithmetic(struct stack_state *s, const struct insn *insn)
{
	struct stack_value *to = &s->reg[insn->rm];

	if (insn->is_memory || !insn->wide)
		return false;
	switch (insn->reg & 7) {
	case GROUP_ADD:
		*to = plus(*to, insn->immediate);
		return true;
	case GROUP_SUB:
		*to = plus(*to, -insn->immediate);
		return true;
	case GROUP_AND:
		if (insn->rm != INSN_RSP || insn->immediate >= 0)
			return false;
		move_base(s);
		return true;
	default:
		return false;
	}
}

static void swap(struct stack_value *a, struct stack_value *b)
{
	struct stack_value old = *a;

	*a = *b;
	*b = old;
}

static bool run_move(struct stack_state *s, const struct insn *insn)
{
	struct stack_value *reg = &s->reg[insn->reg];

	if (!insn->wide)
		return false;
	switch (insn->opcode) {
	case 0x89:
		if (insn->is_memory)
			store(s, address_of(s, insn), *reg);
		else
			s->reg[insn->rm] = *reg;
		return true;
	case 0x8b:
		*reg = insn->is_memory ? load(s, address_of(s, insn)) : s->reg[insn->rm];
		return true;
	case 0x8d:
		*reg = address_of(s, insn);
		if (insn->reg == INSN_RSP && !is_address(*reg))
			move_base(s);
		return true;
	case 0x87:
		if (insn->is_memory)
			return false;
		swap(reg, &s->reg[insn->rm]);
		return true;
	default:
		return false;
	}
}

static void run_leave(struct stack_state *s)
{
	s->reg[INSN_RSP] = s->reg[INSN_RBP];
	s->reg[INSN_RBP] = pop(s);
}

/* Runs instructions without ModRM byte that move rsp. Returns false for another instruction. */
static bool run_stack(struct stack_state *s, const struct insn *insn)
{
	uint8_t o = insn->opcode;

	if ((o & 0xf8) == 0x50)
		push(s, s->reg[insn->low]);
	else if ((o & 0xf8) == 0x58)
		s->reg[insn->low] = pop(s);
	else if (o == 0x68 || o == 0x6a || o == 0x9c)
		push(s, unknown());
	else if (o == 0x9d)
		pop(s);
	else if (o == 0xc9)
		run_leave(s);
	else if (o == 0xe8 && !insn->immediate) /* call to the next instruction, which gets rip */
		push(s, unknown());
	else if (o == 0xe8)
		stack_state_call(s, ALL_REGS);
	else
		return false;
	return true;
}

/* Runs opcodes 0x8f and 0xff: pop and push of memory, and calls. */
static bool run_group(struct stack_state *s, const struct insn *insn)
{
	struct stack_value value;

	if (insn->opcode == 0x8f) {
		value = pop(s);
		if (insn->is_memory)
			store(s, address_of(s, insn), unknown());
		else
			s->reg[insn->rm] = value;
		return true;
	}
	if (insn_next(insn) == NEXT_CALL)
		stack_state_call(s, ALL_REGS);
	else if ((insn->reg & 7) == GROUP_PUSH)
		push(s, insn->is_memory ? unknown() : s->reg[insn->rm]);
	else
		return false;
	return true;
}

/* Returns true for add and sub of a register and rsp. */
static bool moves_base(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x01:
	case 0x29:
		return !insn->is_memory && insn->rm == INSN_RSP;
	case 0x03:
	case 0x2b:
		return insn->reg == INSN_RSP;
	default:
		return false;
	}
}

/* Returns true for all forms of push and pop. */
static bool moves_rsp(const struct insn *insn)
{
	switch (insn->opcode) {
	case 0x68:
	case 0x6a:
	case 0x8f:
	case 0x9c:
	case 0x9d:
		return true;
	case 0xff:
		return (insn->reg & 7) == GROUP_PUSH;
	default:
		return (insn->opcode & 0xf0) == 0x50;
	}
}

/* Runs push and pop of fs and gs. Returns false for another instruction. */
static bool run_segment(struct stack_state *s, uint8_t opcode)
{
	if (opcode == 0xa0 || opcode == 0xa8)
		push(s, unknown());
	else if (opcode == 0xa1 || opcode == 0xa9)
		pop(s);
	else
		return false;
	return true;
}

static bool run_known(struct stack_state *s, const struct insn *insn)
{
	if (insn->map == MAP_0F && !insn->vex)
		return run_segment(s, insn->opcode);
	if (insn->map != MAP_1)
		return false;
	if (insn->size16 && moves_rsp(insn)) { /* by 2 bytes: compilers do not emit it */
		s->reg[INSN_RSP] = unknown();
		return false;
	}
	switch (insn->opcode) {
	case 0x81:
	case 0x83:
		return run_arithmetic(s, insn);
	case 0x87:
	case 0x89:
	case 0x8b:
	case 0x8d:
		return run_move(s, insn);
	case 0x8f:
	case 0xff:
		return run_group(s, insn);
	case 0xc8: /* enter: compilers do not emit it */
		s->reg[INSN_RSP] = s->reg[INSN_RBP] = unknown();
		return true;
	default:
		if (insn->has_modrm && moves_base(insn)) {
			move_base(s);
			return true;
		}
		return run_stack(s, insn);
	}
}

void stack_state_run(struct stack_state *s, const struct insn *insn)
{
	struct stack_value where;
	uint32_t writes;
	unsigned int size;

	if (run_known(s, insn))
		return;
	writes = insn_writes(insn);
	where = address_of(s, insn);
	size = insn_stores(insn);
	/* EVEX scales displacements; vectors are not stored over saved registers */
	if (size && is_address(where) && insn->vex != EVEX)
		forget_memory(s, where, size);
	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (writes >> i & 1)
			s->reg[i] = unknown();
}

bool stack_state_join(struct stack_state *s, const struct stack_state *from)
{
	uint8_t kept = 0, before = s->nr_slots;
	bool changed = false;

	for (unsigned int i = 0; i < INSN_REGS; i++)
		if (s->reg[i].kind && !stack_value_equal(s->reg[i], from->reg[i])) {
			s->reg[i] = unknown();
			changed = true;
		}
	for (uint8_t i = 0; i < before; i++)
		if (stack_value_equal(load(from, s->slot[i].where), s->slot[i].what))
			s->slot[kept++] = s->slot[i];
	s->nr_slots = kept;
	return changed || kept != before;
}

const uint8_t stack_state_order[INSN_REGS] = {
	INSN_RSP, INSN_RBP, INSN_RBX, 12, 13, 14, 15, 10, 11, 0, 1, 2, 6, 7, 8, 9};
