/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds rules for code compiled at run time by the layout of its process. Used in the kernel (BPF)
 * and in user space. step.h, which describes WALK_READ and WALK_READ_CODE, is to be included
 * before.
 */
#ifndef UNWIND_JIT_RULE_H
#define UNWIND_JIT_RULE_H

#include "hotspot_code.h"
#include "jit_layout.h"
#include "sljit.h"
#include "walk.h"

#include "erlang_step.h"

/* The BPF programs define a function of their own for this long loop. */
#ifndef JIT_SEARCH_CODE
#define JIT_SEARCH_CODE(w, start) walk_search_code(w, start)
#endif

/*
 * Finds the rule for code, from BEGIN on, that the JVM does not describe. Compiled code calls it
 * like other code.
 */
UNWIND_INLINE struct unwind_rule jit_stub_rule(struct walk *w, uint64_t begin)
{
	struct unwind_rule rule = {.cfa = UNWIND_CFA_JIT_NO_FRAME};
	uint64_t *code = HOTSPOT_CODE(w);
	struct jit_edge edge = {0};
	uint32_t found;

	if (!w->call && !WALK_READ_CODE(w, code, JIT_PEEK_SIZE, w->reg[REG_PC] - JIT_PEEK))
		edge = jit_peek(code[0], code[1], code[2]);
	if (edge.is_edge) {
		rule = hotspot_frame(REG_SP, edge.ra + 8, edge.fp_saved);
		rule.cfa = UNWIND_CFA_CALLED;
		return rule;
	}
	found = JIT_SEARCH_CODE(w, begin);
	if (found == UNWIND_CFA_JIT_NO_FRAME || (found == UNWIND_CFA_JIT && w->call))
		return rule;
	if (found == UNWIND_CFA_JIT)
		return hotspot_checked(8, false, 0);
	rule = hotspot_frame(REG_FP, 16, true);
	rule.cfa = UNWIND_CFA_CALLED;
	return rule;
}

static inline bool jit_hotspot_rule(
	struct walk *w, const struct hotspot_layout *layout, struct unwind_rule *rule)
{
	struct hotspot_blob *blob = (struct hotspot_blob *)w->saved;
	enum hotspot_code found = hotspot_rule(w, layout, blob, rule);

	w->map.id_at = blob->id_at;
	w->map.id = blob->id;
	if (found == HOTSPOT_STUB)
		*rule = jit_stub_rule(w, blob->code);
	return found != HOTSPOT_ELSEWHERE;
}

static inline bool jit_luajit_rule(struct walk *w, struct unwind_rule *rule)
{
	enum luajit_callback callback;

	*rule = (struct unwind_rule){.cfa = UNWIND_CFA_LUAJIT};
	if (luajit_is_area(w))
		return true;
	callback = w->call ? LUAJIT_NO_CALLBACK : luajit_callback(w);
	if (callback == LUAJIT_NO_CALLBACK)
		return false;
	*rule = callback == LUAJIT_PUSHED ? hotspot_frame(REG_SP, 16, true)
					  : hotspot_frame(REG_SP, 8, false);
	rule->cfa = UNWIND_CFA_CALLED;
	return true;
}

/* Sets the rule of a leaf at its return instruction. Returns false if the leaf is elsewhere. */
static inline bool jit_return_rule(struct walk *w, struct unwind_rule *rule)
{
	uint8_t code[8];

	if (w->call || WALK_READ_CODE(w, code, 1, w->reg[REG_PC]) || code[0] != 0xc3)
		return false;
	*rule = (struct unwind_rule){
		.cfa = UNWIND_CFA_CALLED, .reg = REG_SP, .offset = 8, .ra = -1};
	return true;
}

/*
 * Sets RULE to the rule of the code at the walk's pc. Returns false if LAYOUT has none. Rules are
 * cached by pc, so a rule must not depend on the stack, or the walk must check it: see
 * UNWIND_CFA_CALLED.
 */
static inline bool jit_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	switch (layout->kind) {
	case JIT_BY_RULE:
		if (!jit_return_rule(w, rule))
			*rule = layout->rule;
		return true;
	case JIT_HOTSPOT:
		return jit_hotspot_rule(w, &layout->hotspot, rule);
	case JIT_ERLANG:
		*rule = (struct unwind_rule){.cfa = UNWIND_CFA_LAYOUT};
		return true;
	case JIT_LUAJIT:
		return jit_luajit_rule(w, rule);
	default:
		return false;
	}
}

/* Steps to the caller of code whose rule is UNWIND_CFA_LAYOUT. */
static inline int walk_by_layout(struct walk *w, const struct jit_layout *layout)
{
	switch (layout->kind) {
	case JIT_ERLANG:
		return walk_by_erlang(w, &layout->erlang);
	default:
		return WALK_NO_RULE;
	}
}

#ifndef __bpf__
/*
 * Steps to the caller of code compiled at run time. LAYOUT is the layout of the process, or NULL.
 */
static inline int walk_compiled(struct walk *w, const struct jit_layout *layout)
{
	struct unwind_rule rule;

	if (layout && jit_rule(w, layout, &rule))
		return rule.cfa == UNWIND_CFA_LAYOUT ? walk_by_layout(w, layout)
						     : walk_by_rule(w, &rule);
	if (sljit_rule(w, &rule))
		return walk_by_rule(w, &rule);
	return walk_by_jit(w, walk_search_code(w, w->map.start));
}
#endif

#endif
