/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds rules for code compiled at run time, and steps by the rules of runtimes: the rows of
 * native_list.h. Used in the kernel (BPF) and in user space. Includes unwind/step.h, which
 * describes what the includer defines.
 */
#ifndef RUNTIME_NATIVE_STEP_H
#define RUNTIME_NATIVE_STEP_H

#include "jit_layout.h"
#include "native_list.h"
#include "unwind/walk.h"

/* For rows of runtimes without such a function. */
#define NATIVE_NO_RULE(...) false
#define NATIVE_NO_STEP(...) WALK_NO_RULE

static inline int native_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r);

#ifndef WALK_BY_RUNTIME
#define WALK_BY_RUNTIME(w, r) native_step(w, NULL, r)
#endif

#include "jit_step.h"
#define NATIVE_LIST_STEPS
#include "native_list.h"
#undef NATIVE_LIST_STEPS

/* There is one rule for all of the code. */
static inline bool native_layout_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	(void)w;
	*rule = layout->rule;
	return true;
}

/* All code runs in frames of one size, which a leaf at its return instruction has left. */
static inline bool native_frame_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	uint8_t code[8];

	*rule = layout->rule;
	if (!w->call && !WALK_READ_CODE(w, code, 1, w->reg[REG_PC]) && code_is_return(code[0]))
		*rule = (struct unwind_rule){
			.cfa = UNWIND_CFA_CALLED, .reg = REG_SP, .offset = 8, .ra = -1};
	return true;
}

/*
 * Sets RULE to the rule of the code at the walk's pc. Returns false if LAYOUT has none. Rules are
 * cached by pc, so a rule must not depend on the stack, or the walk must check it: see
 * UNWIND_CFA_CALLED.
 */
static inline bool native_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	switch (layout->runtime) {
#define NATIVE_RULE(ID, hooks, find, ...)                                                          \
	case RUNTIME_##ID:                                                                         \
		return find(w, layout, rule);
		NATIVE_LIST(NATIVE_RULE)
	default:
		return false;
	}
}

/* Does so by the code at the walk's pc, in any process. */
static inline bool native_code_rule(struct walk *w, struct unwind_rule *rule)
{
#define NATIVE_CODE(ID, hooks, find, code, step)                                                   \
	if (code(w, rule))                                                                         \
		return true;
	NATIVE_LIST(NATIVE_CODE)
	return false;
}

/* Steps to the caller by R, a rule of a runtime. LAYOUT is the process's layout, or NULL. */
static inline int native_step(
	struct walk *w, const struct jit_layout *layout, const struct unwind_rule *r)
{
	switch (r->cfa) {
	case RUNTIME_CFA(UNKNOWN):
		return walk_by_jit(w, (enum jit_found)r->index);
#define NATIVE_STEP(ID, hooks, find, code, step)                                                   \
	case RUNTIME_CFA(ID):                                                                      \
		return step(w, layout, r);
		NATIVE_LIST(NATIVE_STEP)
	default:
		return WALK_NO_RULE;
	}
}

/*
 * Steps to the caller of code compiled at run time. LAYOUT is the layout of the process, or NULL.
 */
static inline int walk_compiled(struct walk *w, const struct jit_layout *layout)
{
	struct unwind_rule rule;

	if ((!layout || !native_rule(w, layout, &rule)) && !native_code_rule(w, &rule))
		rule = jit_code_rule(jit_search_code(w, w->map.start));
	return rule.cfa < UNWIND_CFA_RUNTIME ? walk_by_rule(w, &rule)
					     : native_step(w, layout, &rule);
}

#endif
