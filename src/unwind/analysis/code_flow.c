/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_flow.h"
#include "arch/x86_64/machine_code.h"
#include "arch/x86_64/stack_state.h"
#include "callee.h"
#include "lib/util.h"
#include "stack_rule.h"

#include <stdlib.h>
#include <string.h>

enum {
	BYTES_MAX = 32 << 20,
	STATES_MAX = 1 << 19, /* take 90 MB */
	RULES_MAX = UINT16_MAX,
	STEPS_A_BYTE = 4, /* an instruction of five bytes is run twice in well-behaved code */
	STEPS_MIN = 1000, /* added, for small pieces of code */
	GOOD_PER_BAD = 8, /* good returns per bad return in a component that is trusted */
	RETURN_AT = -8,   /* the return address, relative to the CFA */
	CALLED_MAX = 1 << 20,
};

bool code_flow_add(struct code_flow *f, uint64_t start, uint64_t end, const unsigned char *bytes)
{
	if (end - start > BYTES_MAX - f->nr_bytes)
		return false;
	ALLOC_GROW(f->pieces, f->nr_pieces, f->pieces_alloc);
	f->pieces[f->nr_pieces++] = (struct code_piece){start, end, bytes, f->nr_bytes};
	f->nr_bytes += (uint32_t)(end - start);
	return true;
}

void code_flow_release(struct code_flow *f)
{
	table_release(&f->rule_numbers);
	table_release(&f->states_at);
	table_release(&f->callees);
	free(f->pieces);
	free(f->bytes);
	free(f->rules);
	free(f->states);
	free(f->work);
	free(f->called);
	free(f->components);
	*f = (struct code_flow){0};
}

const struct code_piece *code_flow_piece(const struct code_flow *f, uint64_t address)
{
	size_t low = 0, high = f->nr_pieces;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->pieces[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->nr_pieces && f->pieces[low].start <= address ? &f->pieces[low] : NULL;
}

/* Returns the piece that contains byte INDEX. */
static const struct code_piece *piece_at(const struct code_flow *f, uint32_t index)
{
	size_t low = 0, high = f->nr_pieces;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (f->pieces[mid].first <= index)
			low = mid;
		else
			high = mid;
	}
	return &f->pieces[low];
}

/* Marks the targets of branches, as far as linear decoding finds them. */
static void mark_joins(struct code_flow *f, const struct code_piece *piece)
{
	const struct code_piece *to;
	struct insn insn;
	uint64_t target;

	for (uint64_t at = piece->start; at < piece->end; at += insn.length ? insn.length : 1) {
		if (!insn_decode(&insn, piece->bytes + (at - piece->start), piece->end - at)) {
			insn.length = 1;
			continue;
		}
		if (!insn_target(&insn, at, &target))
			continue;
		to = target >= piece->start && target < piece->end ? piece
								   : code_flow_piece(f, target);
		if (to)
			f->bytes[to->first + (target - to->start)].is_join = true;
	}
}

void code_flow_begin(struct code_flow *f)
{
	table_init(&f->rule_numbers);
	table_init(&f->states_at);
	table_init(&f->callees);
	f->bytes = xcalloc(f->nr_bytes + 1, sizeof(*f->bytes));
	for (size_t i = 0; i < f->nr_pieces; i++)
		mark_joins(f, &f->pieces[i]);
}

static uint32_t root_of(struct code_flow *f, uint32_t component)
{
	struct code_component *c = f->components;

	while (c[component].parent != component)
		component = c[component].parent = c[c[component].parent].parent;
	return component;
}

static void new_component(struct code_flow *f, enum code_start start)
{
	ALLOC_GROW(f->components, f->nr_components, f->components_alloc);
	f->current = (uint32_t)f->nr_components;
	f->components[f->nr_components++] =
		(struct code_component){.parent = f->current, .start = (uint8_t)start};
}

static void add_bad(struct code_component *c, uint32_t nr, int32_t pops_at, bool mixed)
{
	if (!nr)
		return;
	c->mixed |= mixed || (c->nr_bad && c->pops_at != pops_at);
	c->pops_at = pops_at;
	c->nr_bad += nr;
}

/* Unites the current component with COMPONENT, which shares code with it. */
static void unite(struct code_flow *f, uint32_t component)
{
	uint32_t a = root_of(f, f->current), b = root_of(f, component);
	struct code_component *to = &f->components[a], *from = &f->components[b];

	if (a == b)
		return;
	add_bad(to, from->nr_bad, from->pops_at, from->mixed);
	to->nr_good += from->nr_good;
	to->nr_unknown += from->nr_unknown;
	to->start = from->start < to->start ? from->start : to->start;
	to->writes |= from->writes;
	from->parent = a;
}

static struct stack_state *state_of(
	const struct code_flow *f, uint32_t index, enum code_moment moment)
{
	const uint32_t *number = table_get(&f->states_at, index, moment);

	return number ? &f->states[*number] : NULL;
}

static struct stack_state *state_at(const struct code_flow *f, uint32_t index)
{
	return state_of(f, index, AT_JOIN);
}

/* Returns false if there are too many states. */
static bool set_state(struct code_flow *f, uint32_t index, enum code_moment moment,
	const struct stack_state *state)
{
	bool is_new;
	uint32_t *number = table_put(&f->states_at, index, moment, &is_new);

	if (is_new && f->nr_states >= STATES_MAX) {
		*number = 0;
		f->too_much = true;
		return false;
	}
	if (is_new) {
		ALLOC_GROW(f->states, f->nr_states, f->states_alloc);
		*number = (uint32_t)f->nr_states++;
	}
	f->states[*number] = *state;
	return true;
}

void code_flow_mark(struct code_flow *f, uint64_t address)
{
	const struct code_piece *piece = code_flow_piece(f, address);
	uint32_t index = piece ? piece->first + (uint32_t)(address - piece->start) : 0;
	struct stack_state begin;

	if (!piece || f->bytes[index].length || f->bytes[index].is_start)
		return;
	stack_state_begin(&begin);
	f->bytes[index].is_join = f->bytes[index].is_start = true;
	set_state(f, index, AT_JOIN, &begin);
}

/*
 * Returns true if the current component is less certain to be a function than the component of byte
 * INDEX, where the stack differs. The current flow is then in data, or it is lost.
 */
static bool is_weaker(struct code_flow *f, uint32_t index)
{
	uint32_t a = root_of(f, f->current), b;

	if (!f->bytes[index].length)
		return false;
	b = root_of(f, f->bytes[index].component);
	if (a == b || f->components[a].start <= f->components[b].start)
		return false;
	f->components[a].nr_unknown++;
	return true;
}

/*
 * Handles a flow that reaches the join point INDEX with STATE. Returns true if the code from there
 * on is to be run with the state that is kept there.
 */
static bool arrive(struct code_flow *f, uint32_t index, const struct stack_state *state)
{
	struct stack_state *known = state_at(f, index);
	bool differs;

	if (!known) {
		if (f->bytes[index].length && is_weaker(f, index))
			return false;
		return set_state(f, index, AT_JOIN, state);
	}
	differs = !stack_value_equal(known->reg[INSN_SP], state->reg[INSN_SP]);
	if (differs && state->after_call && !known->after_call)
		return false; /* the call does not return */
	if (differs && f->bytes[index].is_start) {
		f->components[root_of(f, f->current)].nr_unknown += !state->after_call;
		return false;
	}
	if (differs && known->after_call && !state->after_call) {
		*known = *state;
		return true;
	}
	if (differs && is_weaker(f, index))
		return false;
	known->after_call &= state->after_call;
	if (f->bytes[index].length)
		unite(f, f->bytes[index].component);
	return stack_state_join(known, state) || !f->bytes[index].length;
}

static void jump(struct code_flow *f, uint64_t target, const struct stack_state *state)
{
	const struct code_piece *piece = code_flow_piece(f, target);
	uint32_t index;

	if (!piece)
		return;
	index = piece->first + (uint32_t)(target - piece->start);
	f->bytes[index].is_join = true;
	if (!arrive(f, index, state) || f->bytes[index].is_waiting)
		return;
	f->bytes[index].is_waiting = true;
	ALLOC_GROW(f->work, f->nr_work, f->work_alloc);
	f->work[f->nr_work++] = index;
}

static void call(struct code_flow *f, uint64_t target)
{
	const struct code_piece *piece = code_flow_piece(f, target);

	if (!piece || f->nr_called >= CALLED_MAX ||
		f->bytes[piece->first + (target - piece->start)].length)
		return;
	if (f->components[root_of(f, f->current)].start == START_CALLED)
		code_flow_mark(f, target);
	ALLOC_GROW(f->called, f->nr_called, f->called_alloc);
	f->called[f->nr_called++] = target;
}

static uint16_t number_of(struct code_flow *f, const struct stack_state *state)
{
	struct unwind_rule rule;
	uint64_t words[2];
	uint32_t *number;
	bool is_new;

	_Static_assert(sizeof(words) == sizeof(rule), "two words are a rule");
	if (f->nr_rules >= RULES_MAX || !stack_rule(state, &rule))
		return 0;
	memcpy(words, &rule, sizeof(words));
	number = table_put(&f->rule_numbers, words[0], words[1], &is_new);
	if (is_new) {
		ALLOC_GROW(f->rules, f->nr_rules, f->rules_alloc);
		f->rules[f->nr_rules++] = rule;
		*number = (uint32_t)f->nr_rules;
	}
	return (uint16_t)*number;
}

static void count_return(
	struct code_flow *f, const struct insn *insn, const struct stack_state *state)
{
	struct code_component *c = &f->components[root_of(f, f->current)];
	struct stack_value sp = state->reg[INSN_SP];

	if (sp.kind != STACK_CFA)
		c->nr_unknown++;
	else if (sp.at == RETURN_AT && code_is_return(insn->opcode))
		c->nr_good++;
	else
		add_bad(c, 1, sp.at, !code_is_return(insn->opcode));
}

/*
 * Returns true if the code at INDEX, which follows an indirect jump, may be a case of a switch, as
 * may the code after each of its returns. This is so if the function has a frame: it would have to
 * release the frame before a jump to another function.
 */
static bool is_switch(struct code_flow *f, uint32_t index, const struct stack_state *state)
{
	struct stack_value sp = state->reg[INSN_SP];

	f->bytes[index].is_switch = set_state(f, index, AT_SWITCH, state);
	return !f->bytes[index].length && sp.kind != STACK_UNKNOWN &&
	       !(sp.kind == STACK_CFA && sp.at >= RETURN_AT);
}

/*
 * Follows INSN at ADDRESS with STATE. Returns true if the flow continues at INDEX, the byte after
 * INSN.
 */
static bool follow(struct code_flow *f, const struct insn *insn, uint64_t address, uint32_t index,
	struct stack_state *state)
{
	enum insn_next next = insn_next(insn);
	uint64_t target;
	bool is_direct = insn_target(insn, address, &target);

	state->after_call = next == NEXT_CALL;
	switch (next) {
	case NEXT_CALL:
		if (is_direct && insn->immediate)
			call(f, target);
		return true;
	case NEXT_JUMP:
	case NEXT_BRANCH:
		if (is_direct)
			jump(f, target, state);
		return next == NEXT_BRANCH;
	case NEXT_RETURN:
		count_return(f, insn, state);
		return false;
	case NEXT_INDIRECT:
		return is_switch(f, index, state);
	case NEXT_END:
		return false;
	default:
		return true;
	}
}

/* Runs INSN at ADDRESS with STATE. */
static void run_insn(
	struct code_flow *f, const struct insn *insn, uint64_t address, struct stack_state *state)
{
	uint64_t target;

	if (insn_next(insn) == NEXT_CALL && insn_target(insn, address, &target) &&
		insn->immediate && stack_state_has_scratch(state))
		stack_state_call(state, callee_writes(f, target));
	else
		stack_state_run(state, insn);
}

/* Runs INSN, which is at ADDRESS and begins at byte INDEX. */
static void step(struct code_flow *f, uint32_t index, const struct insn *insn, uint64_t address,
	struct stack_state *state)
{
	struct code_byte *b = &f->bytes[index];

	if (b->length && b->component != f->current)
		unite(f, b->component);
	b->component = f->current;
	b->rule = number_of(f, state);
	b->length = insn->length;
	b->is_waiting = false;
	f->components[root_of(f, f->current)].writes |= (uint16_t)insn_writes(insn);
	if (insn_is_pop(insn))
		f->components[root_of(f, f->current)].writes |= (uint16_t)(1U << insn->low);
	run_insn(f, insn, address, state);
}

/*
 * Handles a flow that reaches byte INDEX from the instruction before it. Returns true if it
 * continues.
 */
static bool enter(struct code_flow *f, uint32_t index, struct stack_state *state)
{
	struct code_byte *b = &f->bytes[index];

	if (!b->is_join)
		return !b->length || !is_weaker(f, index);
	if (!arrive(f, index, state))
		return false;
	*state = *state_at(f, index);
	return true;
}

static bool has_time(struct code_flow *f)
{
	if (f->nr_steps++ >= (uint64_t)f->nr_bytes * STEPS_A_BYTE + STEPS_MIN)
		f->too_much = true;
	return !f->too_much;
}

/* Runs the code from the join point INDEX on. */
static void run_from(struct code_flow *f, uint32_t index)
{
	const struct code_piece *piece = piece_at(f, index);
	struct stack_state state = *state_at(f, index);
	uint64_t at = piece->start + (index - piece->first);
	struct insn insn;

	for (bool first = true; at < piece->end && has_time(f); first = false) {
		index = piece->first + (uint32_t)(at - piece->start);
		if (!first && !enter(f, index, &state))
			return;
		if (!insn_decode(&insn, piece->bytes + (at - piece->start), piece->end - at))
			return;
		step(f, index, &insn, at, &state);
		if (!follow(f, &insn, at, index + insn.length, &state))
			return;
		at += insn.length;
	}
}

/* Runs a component that begins at byte INDEX, which has not been run, with STATE. */
static void run_component(
	struct code_flow *f, uint32_t index, enum code_start start, const struct stack_state *state)
{
	const struct code_piece *piece = piece_at(f, index);

	new_component(f, start);
	f->bytes[index].is_first = true;
	jump(f, piece->start + (index - piece->first), state);
	while (f->nr_work && !f->too_much)
		if (f->bytes[f->work[--f->nr_work]].is_waiting)
			run_from(f, f->work[f->nr_work]);
}

static void run_function(struct code_flow *f, uint64_t address, enum code_start start)
{
	const struct code_piece *piece = code_flow_piece(f, address);
	uint32_t index = piece ? piece->first + (uint32_t)(address - piece->start) : 0;
	struct stack_state state;

	if (!piece || f->too_much || (f->bytes[index].length && !f->bytes[index].is_start))
		return;
	stack_state_begin(&state);
	run_component(f, index, start, &state);
}

/* Follows the functions whose calls were found by other runs. */
static void run_called(struct code_flow *f, enum code_start start)
{
	while (f->nr_called && !f->too_much)
		run_function(f, f->called[--f->nr_called], start);
}

void code_flow_run(struct code_flow *f, uint64_t address, enum code_start start)
{
	run_function(f, address, start);
	run_called(f, start);
}

/* Follows the code at byte INDEX, which may belong to the switch before it. */
static void run_rest_at(struct code_flow *f, uint32_t index, const uint32_t *last_switch)
{
	struct stack_state state;

	stack_state_begin(&state);
	if (last_switch)
		state = *state_of(f, *last_switch, AT_SWITCH);
	run_component(f, index, START_REST, &state);
	run_called(f, START_REST);
}

/*
 * Returns the number of padding bytes at byte AT of PIECE, or 0 if there is an instruction or data.
 */
static uint32_t padding_at(const struct code_piece *piece, uint64_t at)
{
	struct insn insn;

	if (!piece->bytes[at])
		return 1;
	if (!insn_decode(&insn, piece->bytes + at, piece->end - piece->start - at))
		return 1;
	return insn_is_padding(&insn) ? insn.length : 0;
}

static void run_rest_of(struct code_flow *f, const struct code_piece *piece)
{
	uint32_t size = (uint32_t)(piece->end - piece->start), length, last_switch = 0;
	bool in_switch = false;

	for (uint32_t at = 0; at < size && !f->too_much; at += length) {
		uint32_t index = piece->first + at;
		const struct code_byte *b = &f->bytes[index];

		if (b->is_first && f->components[b->component].start != START_REST)
			in_switch = false;
		if (b->is_switch && at) { /* else the jump is in another piece */
			in_switch = true;
			last_switch = index;
		}
		length = b->length ? b->length : padding_at(piece, at);
		if (!length)
			run_rest_at(f, index, in_switch ? &last_switch : NULL);
		if (!length)
			length = b->length ? b->length : 1;
	}
}

void code_flow_run_rest(struct code_flow *f)
{
	for (size_t i = 0; i < f->nr_pieces; i++)
		run_rest_of(f, &f->pieces[i]);
}

/*
 * Corrects the rule of code that was entered in the middle of a function. Its returns tell how far
 * the stack is from the assumed position; the earlier instructions of the function are unknown.
 */
static bool shift(const struct code_component *c, struct unwind_rule *rule)
{
	int32_t by = c->pops_at - RETURN_AT;

	if (c->mixed || c->start != START_REST || by < 0 || by > INT16_MAX || by % 8)
		return false;
	if (rule->cfa == UNWIND_CFA_DEREF)
		return false;
	rule->offset += by;
	rule->fp = rule->base = 0;
	rule->fp_saved = c->writes >> INSN_FP & 1 ? UNWIND_LOST : UNWIND_SAME;
	rule->base_saved = c->writes >> INSN_BASE & 1 ? UNWIND_LOST : UNWIND_SAME;
	rule->lost = (c->writes >> INSN_KEPT | rule->lost) & 15;
	return true;
}

/* Returns true if the return address has been popped: its place is unknown. */
static bool is_above_return(const struct unwind_rule *rule)
{
	return rule->cfa == UNWIND_CFA_REG && rule->reg == REG_SP && rule->offset < 8;
}

bool code_flow_rule(
	const struct code_flow *f, uint32_t index, struct unwind_rule *rule, unsigned int *length)
{
	const struct code_byte *b = &f->bytes[index];
	uint32_t component = b->component;

	*length = b->length ? b->length : 1;
	if (f->too_much || !b->length || !b->rule)
		return false;
	while (f->components[component].parent != component)
		component = f->components[component].parent;
	const struct code_component *c = &f->components[component];

	*rule = f->rules[b->rule - 1];
	if (c->nr_good ? c->nr_bad * GOOD_PER_BAD > c->nr_good || c->nr_unknown > c->nr_good
		       : !c->nr_bad || c->nr_unknown || !shift(c, rule))
		return false;
	return !is_above_return(rule);
}
