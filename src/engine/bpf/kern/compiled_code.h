/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rules and steps of the code of runtimes, by the rows of runtime/native_list.h. Long loops
 * are in global functions; see native_walk.h.
 */
#ifndef ENGINE_BPF_KERN_COMPILED_CODE_H
#define ENGINE_BPF_KERN_COMPILED_CODE_H

#include "walk_parts.h"

#include "runtime/native_step.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, JIT_LAYOUTS_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct jit_layout);
} jit_layouts SEC(".maps");

static __always_inline const struct jit_layout *my_layout(struct scratch *s)
{
	return bpf_map_lookup_elem(&jit_layouts, &s->row.tgid);
}

/*
 * Sets s->rule to the rule for the walk's pc in code that was compiled at run time. Returns 0 if
 * the layout of the process has no rule.
 */
__noinline int look_up_layout(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	const struct jit_layout *layout = s ? my_layout(s) : NULL;

	return layout && native_rule(&s->walk, layout, &s->rule);
}

/* Sets s->rule to the rule by the code itself. Returns 0 if there is none. */
__noinline int look_up_code(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return s && native_code_rule(&s->walk, &s->rule);
}

/* Returns what is known of other code, enum jit_found. */
__noinline int search_code(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return s ? jit_search_code(&s->walk, s->walk.map.start) : JIT_UNKNOWN;
}

/* Steps to the caller by s->rule, a rule of a runtime. */
__noinline int step_by_runtime(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return s ? native_step(&s->walk, my_layout(s), &s->rule) : WALK_NO_RULE;
}

/* Implements WALK_BY_RUNTIME, for most frames without a call. */
static __always_inline int walk_by_runtime(struct walk *w, const struct unwind_rule *r)
{
	if (w->call && r->cfa == RUNTIME_CFA(UNKNOWN) && r->index == JIT_FRAME)
		return walk_by_frame(w, WALK_JIT_MAX, false);
	((struct scratch *)w)->rule = *r;
	return step_by_runtime(WALK_LANE(w));
}

#endif
