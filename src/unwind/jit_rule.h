/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code compiled at run time by the layout of its process, the same in the kernel (BPF)
 * and in user space; WALK_READ and WALK_READ_CODE as in step.h, which is to be included before.
 */
#ifndef UNWIND_JIT_RULE_H
#define UNWIND_JIT_RULE_H

#include "jit_layout.h"
#include "walk.h"

/*
 * Sets RULE to that of the code at the walk's pc; false: LAYOUT does not tell. A rule is kept for
 * the pc, so it must not depend on the stack, or the walk must check it: see UNWIND_CFA_CALLED.
 */
static inline bool jit_rule(
	struct walk *w, const struct jit_layout *layout, struct unwind_rule *rule)
{
	(void)w;
	switch (layout->kind) {
	case JIT_BY_RULE:
		*rule = layout->rule;
		return true;
	default:
		return false;
	}
}

#ifndef __bpf__
/* To the caller of code compiled at run time. LAYOUT of the process; NULL: none. */
static inline int walk_compiled(struct walk *w, const struct jit_layout *layout)
{
	struct unwind_rule rule;

	if (layout && jit_rule(w, layout, &rule))
		return walk_by_rule(w, &rule);
	return walk_by_jit(w, walk_search_code(w));
}
#endif

#endif
