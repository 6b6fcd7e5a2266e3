/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "go_switch.h"
#include "go_depths.h"
#include "go_rule.h"
#include "lib/util.h"
#include "runtime/native_list.h"
#include "arch/x86_64/insn.h"

#include <stdlib.h>
#include <string.h>

enum { INSNS_MAX = 512, NOWHERE = INSNS_MAX };

struct go_line {
	uint64_t at;
	struct insn insn;
	uint8_t region; /* number of a region + 1, or 0 on the function's own stack */
};

/* The lines from OPEN, which leaves the function's stack, to CLOSE, which returns to it. */
struct go_region {
	size_t open, close; /* close is NOWHERE if no line returns */
};

struct go_code {
	const struct go_function *function;
	struct go_line lines[INSNS_MAX];
	size_t nr;
	struct go_region regions[GO_SWITCHES];
	size_t nr_regions;
};

static void decode(struct go_code *c, const struct go_function *f)
{
	size_t size = (size_t)(f->code.end - f->code.at);

	*c = (struct go_code){.function = f};
	for (size_t at = 0; at < size && c->nr < INSNS_MAX; c->nr++) {
		struct go_line *line = &c->lines[c->nr];

		if (!insn_decode(&line->insn, f->code.at + at, size - at))
			break;
		line->at = f->start + at;
		at += line->insn.length;
	}
}

static size_t line_at(const struct go_code *c, uint64_t at)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->lines[i].at == at)
			return i;
	return NOWHERE;
}

/* Returns true if I moves 64 bits from a register or memory to register *TO. */
static bool is_load(const struct insn *i, uint8_t *to)
{
	if (i->map != MAP_1 || i->vex != NO_VEX || !i->wide)
		return false;
	*to = i->opcode == 0x89 ? i->rm : i->reg;
	return i->opcode == 0x8b || (i->opcode == 0x89 && !i->is_memory);
}

static bool sets_sp(const struct insn *i)
{
	uint8_t to;

	return is_load(i, &to) && to == INSN_RSP;
}

/* and $-16,%rsp */
static bool aligns_sp(const struct insn *i)
{
	return i->map == MAP_1 && i->vex == NO_VEX && (i->opcode == 0x83 || i->opcode == 0x81) &&
	       !i->is_memory && i->rm == INSN_RSP && (i->reg & 7) == 4;
}

/* Marks the lines that are reached from line I while the code is on the other stack. */
static void mark(struct go_code *c, size_t i)
{
	struct go_region *region = &c->regions[c->nr_regions - 1];

	while (i < c->nr && !c->lines[i].region) {
		struct go_line *line = &c->lines[i];
		uint64_t target;
		size_t to =
			insn_target(&line->insn, line->at, &target) ? line_at(c, target) : NOWHERE;

		line->region = (uint8_t)c->nr_regions;
		if (sets_sp(&line->insn)) {
			region->close = i;
			return;
		}
		switch (insn_next(&line->insn)) {
		case NEXT_ON:
		case NEXT_CALL:
			i++;
			break;
		case NEXT_BRANCH:
			mark(c, to);
			i++;
			break;
		case NEXT_JUMP:
			i = to;
			break;
		default:
			return;
		}
	}
}

static void find_regions(struct go_code *c)
{
	for (size_t i = 0; i < c->nr && c->nr_regions < GO_SWITCHES; i++) {
		const struct go_line *line = &c->lines[i];

		if (line->region || (!sets_sp(&line->insn) && !aligns_sp(&line->insn)))
			continue;
		c->regions[c->nr_regions++] = (struct go_region){.open = i, .close = NOWHERE};
		mark(c, i + 1);
	}
}

/* The value of a register, as an expression over the registers after the call. */
enum go_place {
	UNKNOWN,
	REGISTER, /* the value of register reg after the call */
	STACK,    /* rsp + at[0] */
	NUMBER,   /* at[0] */
	WORD,     /* *(rsp + at[0]) */
	FIELD,    /* *(*(rsp + at[0]) + at[1]) */
	DISTANCE, /* as FIELD, minus *(rsp + at[2]) */
	PATH,     /* …*(*(thread + at[0]) + at[1])…, with nr steps */
};

enum { PATH_MAX_STEPS = 4 };

struct go_value {
	enum go_place kind;
	uint8_t reg, nr;
	int32_t at[PATH_MAX_STEPS];
};

struct go_values {
	struct go_value reg[INSN_REGS];
};

static struct go_value load_thread(const struct go_values *v, const struct insn *i)
{
	struct go_value to = {.kind = PATH, .nr = 1, .at = {i->displacement}};

	if (i->index != INSN_NO_REG)
		return (struct go_value){0};
	if (i->base == INSN_NO_REG)
		return to;
	if (i->base >= INSN_REGS || v->reg[i->base].kind != NUMBER)
		return (struct go_value){0};
	to.at[0] += v->reg[i->base].at[0];
	return to;
}

static struct go_value load(const struct go_values *v, const struct insn *i)
{
	struct go_value from;

	if (!i->is_memory)
		return v->reg[i->opcode == 0x89 ? i->reg : i->rm];
	if (i->segment)
		return load_thread(v, i);
	if (i->base >= INSN_REGS || i->index != INSN_NO_REG)
		return (struct go_value){0};
	from = v->reg[i->base];
	switch (from.kind) {
	case STACK:
		return (struct go_value){.kind = WORD, .at = {from.at[0] + i->displacement}};
	case WORD:
		from.kind = FIELD;
		from.at[1] = i->displacement;
		return from;
	case PATH:
		if (from.nr == PATH_MAX_STEPS)
			return (struct go_value){0};
		from.at[from.nr++] = i->displacement;
		return from;
	default:
		return (struct go_value){0};
	}
}

/* Runs sub of a word on the stack from a field. */
static struct go_value subtract(const struct go_values *v, const struct insn *i)
{
	struct go_value from = v->reg[i->reg];
	const struct go_value *base = i->base < INSN_REGS ? &v->reg[i->base] : NULL;

	if (from.kind != FIELD || !i->is_memory || i->segment || !base || base->kind != STACK ||
		i->index != INSN_NO_REG)
		return (struct go_value){0};
	from.kind = DISTANCE;
	from.at[2] = base->at[0] + i->displacement;
	return from;
}

static void evaluate(struct go_values *v, const struct insn *i)
{
	bool plain = i->map == MAP_1 && i->vex == NO_VEX && i->wide;
	uint32_t writes = insn_writes(i);
	struct go_value to = {0};
	uint8_t reg;

	if (is_load(i, &reg))
		to = load(v, i);
	else if (plain && i->opcode == 0x2b)
		to = subtract(v, i);
	else if (plain && i->opcode == 0xc7 && !i->is_memory)
		to = (struct go_value){.kind = NUMBER, .at = {(int32_t)i->immediate}};
	for (uint8_t r = 0; r < INSN_REGS; r++)
		if (writes >> r & 1)
			v->reg[r] = to;
}

/* Returns the value that the lines FROM to CLOSE give rsp. */
static struct go_value stack_after(const struct go_code *c, size_t from, size_t close)
{
	struct go_values v;

	for (uint8_t r = 0; r < INSN_REGS; r++)
		v.reg[r] = (struct go_value){.kind = r == INSN_RSP ? STACK : REGISTER, .reg = r};
	for (size_t i = from; i <= close; i++)
		evaluate(&v, &c->lines[i].insn);
	return v.reg[INSN_RSP];
}

/* Returns the DWARF number of a register. */
static uint8_t dwarf_number(uint8_t reg)
{
	static const uint8_t numbers[] = {0, 2, 1, 3, 7, 6, 4, 5};

	return reg < ARRAY_LEN(numbers) ? numbers[reg] : reg;
}

static bool is_short(int32_t number)
{
	return number == (int16_t)number;
}

static struct unwind_rule rule_of(const struct go_value *v, int64_t depth)
{
	struct unwind_rule rule = {.cfa = RUNTIME_CFA(GO), .ra = (int16_t)depth};

	rule.fp_saved = depth >= 8 ? UNWIND_AT_CFA : UNWIND_SAME;
	rule.base_saved = UNWIND_LOST;
	for (int i = 1; i < PATH_MAX_STEPS; i++)
		if (!is_short(v->at[i]))
			return (struct unwind_rule){0};
	if (depth < 0 || depth > INT16_MAX)
		return (struct unwind_rule){0};
	rule.offset = v->at[0];
	rule.add = (int16_t)v->at[1];
	rule.base = (int16_t)v->at[2];
	rule.fp = (int16_t)v->at[3];
	switch (v->kind) {
	case REGISTER:
		rule.index = GO_SWITCH_REG;
		rule.reg = dwarf_number(v->reg);
		return rule;
	case WORD:
		rule.index = GO_SWITCH_WORD;
		return rule;
	case DISTANCE:
		rule.index = GO_SWITCH_DISTANCE;
		return rule;
	case PATH:
		rule.index = GO_SWITCH_PATH;
		return v->nr == PATH_MAX_STEPS ? rule : (struct unwind_rule){0};
	default:
		return (struct unwind_rule){0};
	}
}

/*
 * Returns the last line before BEFORE that copies rsp to a register, on the function's own stack.
 */
static size_t saving_line(const struct go_code *c, size_t before)
{
	while (before--) {
		const struct insn *i = &c->lines[before].insn;
		uint8_t to;

		if (!c->lines[before].region && is_load(i, &to) && !i->is_memory &&
			to != INSN_RSP && (i->opcode == 0x89 ? i->reg : i->rm) == INSN_RSP)
			return before;
	}
	return NOWHERE;
}

static int64_t depth_at(const struct go_code *c, size_t line)
{
	return go_depth_at(c->function->depths, c->function->start, c->lines[line].at);
}

/* Returns the last call in region NR before line END. */
static size_t call_before(const struct go_code *c, uint8_t nr, size_t end)
{
	while (end--)
		if (c->lines[end].region == nr && insn_next(&c->lines[end].insn) == NEXT_CALL)
			return end;
	return NOWHERE;
}

/*
 * Returns true if no line before END, on the function's own stack or in region NR, changes the
 * register that line SAVING sets.
 */
static bool is_kept(const struct go_code *c, size_t saving, size_t end, uint8_t nr)
{
	uint32_t reg = insn_writes(&c->lines[saving].insn);

	for (size_t i = saving + 1; i < end; i++)
		if ((!c->lines[i].region || c->lines[i].region == nr) &&
			(insn_writes(&c->lines[i].insn) & reg))
			return false;
	return true;
}

/*
 * Makes the rule in runtime.morestack, which makes room for the frame of a function. Its caller is
 * this function, which has not begun yet.
 */
static struct unwind_rule restart(const struct go_code *c, const struct unwind_rule *systemstack)
{
	struct unwind_rule rule = *systemstack;

	if (rule.cfa != RUNTIME_CFA(GO))
		return (struct unwind_rule){0};
	rule.index = GO_SWITCH_CONTEXT;
	for (size_t i = 0; i < c->nr; i++) {
		const struct insn *insn = &c->lines[i].insn;

		if (insn->map == MAP_1 && insn->opcode == 0x89 && insn->wide && insn->is_memory &&
			insn->reg == INSN_RBP && insn->base != INSN_RSP &&
			is_short(insn->displacement)) {
			rule.ra = (int16_t)insn->displacement;
			rule.fp_saved = UNWIND_AT_CFA;
			return rule;
		}
	}
	rule.fp_saved = UNWIND_LOST;
	return rule;
}

/* Makes the rule of a region that does not return to the function's stack. */
static struct unwind_rule rule_for_good(
	const struct go_code *c, const struct unwind_rule *systemstack)
{
	/* the goroutine has stopped, and the thread looks for another one */
	if (go_is_function(c->function->name, "runtime.mcall"))
		return (struct unwind_rule){.cfa = UNWIND_CFA_ROOT};
	if (go_is_function(c->function->name, "runtime.morestack"))
		return restart(c, systemstack);
	return (struct unwind_rule){0};
}

struct finding {
	const struct go_code *code;
	struct go_switch *list;
	size_t nr;
};

/* Adds the lines of region NR from FROM to before TO. */
static void add(struct finding *f, uint8_t nr, size_t from, size_t to, struct unwind_rule rule)
{
	const struct go_line *lines = f->code->lines;

	for (size_t i = from; i < to; i++) {
		uint64_t start = lines[i].at, end = start + lines[i].insn.length;
		struct go_switch *last = f->nr ? &f->list[f->nr - 1] : NULL;

		if (lines[i].region != nr)
			continue;
		if (last && last->to == start && !memcmp(&last->rule, &rule, sizeof(rule)))
			last->to = end;
		else if (f->nr < GO_SWITCHES)
			f->list[f->nr++] = (struct go_switch){start, end, rule};
	}
}

/*
 * Makes the rule for the lines up to CALL, where the frame on the other stack is incomplete. It
 * uses the register to which line SAVING has copied rsp, where the frame is DEPTH bytes deep.
 */
static struct unwind_rule rule_until(
	const struct go_code *c, uint8_t nr, size_t saving, size_t call, int64_t depth)
{
	struct go_value saved = {.kind = REGISTER};

	if (saving == NOWHERE || !is_kept(c, saving, call, nr))
		return (struct unwind_rule){0};
	saved.reg = (uint8_t)__builtin_ctz(insn_writes(&c->lines[saving].insn));
	return rule_of(&saved, depth);
}

static void add_region(struct finding *f, uint8_t nr, const struct unwind_rule *systemstack)
{
	const struct go_code *c = f->code;
	const struct go_region *region = &c->regions[nr - 1];
	size_t saving = saving_line(c, region->open), call, first = 0;
	int64_t depth = depth_at(c, saving == NOWHERE ? region->open : saving);
	struct go_value value;

	if (region->close == NOWHERE) {
		add(f, nr, 0, c->nr, rule_for_good(c, systemstack));
		return;
	}
	call = call_before(c, nr, region->close);
	value = stack_after(c, (call == NOWHERE ? region->open : call) + 1, region->close);
	if (value.kind == PATH)
		depth = depth_at(c, region->open);
	if ((value.kind == WORD || value.kind == DISTANCE) && call != NOWHERE) {
		add(f, nr, 0, call, rule_until(c, nr, saving, call, depth));
		first = call;
	}
	add(f, nr, first, c->nr, rule_of(&value, depth));
}

static int by_address(const void *a, const void *b)
{
	const struct go_switch *l = a, *r = b;

	return (l->from > r->from) - (l->from < r->from);
}

size_t go_switches(const struct go_function *f, const struct unwind_rule *systemstack,
	struct go_switch list[GO_SWITCHES])
{
	struct go_code *c = xmalloc(sizeof(*c));
	struct finding found = {.code = c, .list = list};

	decode(c, f);
	find_regions(c);
	for (uint8_t nr = 1; nr <= c->nr_regions; nr++)
		add_region(&found, nr, systemstack);
	qsort(list, found.nr, sizeof(*list), by_address);
	free(c);
	return found.nr;
}
