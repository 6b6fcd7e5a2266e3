/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the native stack of the current task, whose registers are known. */
#ifndef ENGINE_BPF_KERN_NATIVE_WALK_H
#define ENGINE_BPF_KERN_NATIVE_WALK_H

#include "compiled_code.h"
#include "return_probes.h"
#include "tables.h"

static __always_inline struct cached_rule *rule_cache_slot(uint64_t key)
{
	uint32_t at = cpu_slot(key, RULE_CACHE_SIZE);

	return bpf_map_lookup_elem(&rule_cache, &at);
}

static __always_inline void look_up_compiled(
	struct walk *w, uint32_t lane, struct cached_rule *e, uint64_t key)
{
	if (look_up_layout(lane) || look_up_code(lane))
		e->rule = ((struct scratch *)w)->rule;
	else
		e->rule = jit_code_rule(search_code(lane));
	e->id_at = w->map.id_at; /* set again, as the layout may have found the code's id */
	e->id = w->map.id;
	e->key = key;
}

/* Looks up the frame and the rule for the walk's pc, and caches them under KEY. */
__noinline int look_up(uint32_t lane, uint64_t key)
{
	struct scratch *s = my_scratch(lane);
	struct cached_rule *e = rule_cache_slot(key);

	if (!s || !e)
		return WALK_DEEP;
	struct walk *w = &s->walk;

	if (!find_map(s))
		return WALK_NO_MAP;
	e->key = UINT64_MAX; /* matches no pc until the entry is complete */
	e->version = s->space.version;
	e->frame = walk_frame(&w->map, w->reg[REG_PC], w->call);
	e->id_at = w->map.id_at;
	e->id = w->map.id;
	e->is_compiled = w->map.table == WALK_MEMORY;
	int end = WALK_ON;

	if (e->is_compiled)
		look_up_compiled(w, lane, e, key);
	else
		end = look_up_rule(w, e, key);
	e->saved = unwind_saved_registers(&e->rule);
	e->is_plain = walk_is_plain(&e->rule);
	return end;
}

/* A build-id that could not be read lately. */
struct unread_id {
	uint64_t at;
	uint32_t version; /* of the space */
	uint32_t left;    /* how many times it is not read again */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNREAD_IDS);
	__type(key, uint32_t);
	__type(value, struct unread_id);
} unread_ids SEC(".maps");

/*
 * Returns whether the build-id in memory is the build-id of E's file. A process that was forked has
 * often not touched its page; as a read that fails costs more than a walk, it is then repeated
 * after UNREAD_TIMES walks only. Until then the result is true.
 */
static __always_inline bool has_same_id(const struct cached_rule *e)
{
	uint32_t slot = e->id_at / PAGE % UNREAD_IDS;
	struct unread_id *unread = bpf_map_lookup_elem(&unread_ids, &slot);
	uint64_t id;

	if (!unread)
		return true;
	if (unread->left && unread->at == e->id_at && unread->version == e->version) {
		unread->left--;
		return true;
	}
	if (!bpf_probe_read_user(&id, sizeof(id), (void *)e->id_at))
		return id == e->id;
	unread->at = e->id_at;
	unread->version = e->version;
	unread->left = UNREAD_TIMES;
	return true;
}

/*
 * Returns whether the entry is still valid, by comparing the build-id in memory. Another file may
 * have been mapped there (dlclose, dlopen) before its event was handled, or other code may have
 * been compiled there.
 */
static __always_inline bool is_same_file(struct scratch *s, const struct cached_rule *e)
{
	if (!e->id_at || e->id_at == s->checked_at)
		return true;
	s->checked_at = e->id_at;
	return has_same_id(e);
}

/* Keeps the data of the frame just left that the search for labels needs. */
static __always_inline void pass_frame(struct scratch *s)
{
	struct label_passed *p = &s->label.passed[s->label.nr_passed++ % LABEL_PASSED];

	p->sp = s->walk.reg[REG_SP];
	p->pc = s->walk.reg[REG_PC];
	p->saved = s->label.saved;
}

/* Steps to the caller by s->rule, which is not a runtime's. */
__noinline int step_by_any_rule(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return s ? walk_by_any_rule(&s->walk, &s->rule) : WALK_NO_RULE;
}

/* Steps to the caller by the rule of E. */
static __always_inline int step_by_rule(
	struct scratch *s, uint32_t lane, const struct cached_rule *e)
{
	int end;

	if (e->is_plain && walk_by_plain_rule(&s->walk, &e->rule, &end))
		return end;
	if (e->rule.cfa >= UNWIND_CFA_RUNTIME)
		return walk_by_runtime(&s->walk, &e->rule);
	s->rule = e->rule;
	return step_by_any_rule(lane);
}

/*
 * Adds the frame of the walk's pc and steps to its caller. Returns false if it was the last frame,
 * see walk.end. Data that is not recorded costs nothing, because the verifier removes code that
 * depends on settings.
 */
static __always_inline bool take_frame(struct scratch *s, uint32_t lane)
{
	struct walk *w = &s->walk;
	uint64_t key = w->reg[REG_PC] << 1 | w->call;
	struct cached_rule *e = rule_cache_slot(key);
	uint32_t nr = w->nr;

	if (!e || nr >= WALK_DEPTH) {
		w->end = WALK_DEEP;
		return false;
	}
	bool known = e->key == key && e->version == s->space.version;

	if (!known || !is_same_file(s, e)) {
		w->end = known && !e->is_compiled ? WALK_PENDING : look_up(lane, key);
		if (w->end == WALK_ON && !is_same_file(s, e))
			w->end = WALK_PENDING;
		if (w->end != WALK_ON)
			return false;
	}
	uint8_t nr_vm = w->vm.nr;

	if (records_labels())
		s->label.saved = e->saved;
	s->frame[PAD + nr] = e->frame;
	w->nr = nr + 1;
	w->from = w->call ? w->reg[REG_PC] : 0;
	w->end = step_by_rule(s, lane, e);
	if (w->vm.nr != nr_vm)
		s->frame[PAD + nr] |= WALK_FRAME_VM;
	if (w->end == WALK_ON && w->reg[REG_PC] == w->trampoline && !restore_return(lane))
		w->end = WALK_PROBED;
	if (w->end != WALK_ON)
		return false;
	if (records_labels() && s->label.searching)
		pass_frame(s);
	return true;
}

/*
 * Long loops call global functions: the verifier checks these once, separately, and not in each
 * iteration, so that all kernels accept the loops, with or without bpf_loop. Their arguments are
 * integers, because kernels before 5.12 allow no pointers.
 */

/* Returns the layout if the mappings with compiled code change all the time, or else NULL. */
static __always_inline const struct jit_layout *restless_layout(struct scratch *s)
{
	const struct jit_layout *layout = my_layout(s);

	return layout && layout->is_restless ? layout : NULL;
}

/*
 * Adds the frame of code that has been compiled since the mappings were read. Returns false if
 * there is no such code.
 */
static __always_inline bool take_new_code(struct scratch *s, uint32_t lane)
{
	struct walk *w = &s->walk;
	uint32_t nr = w->nr;
	const struct jit_layout *layout =
		w->end == WALK_NO_MAP && nr < WALK_DEPTH ? restless_layout(s) : NULL;

	if (!layout)
		return false;
	s->frame[PAD + nr] = walk_frame(NULL, w->reg[REG_PC], w->call) | WALK_NEW_CODE;
	s->rule = layout->rule;
	w->end = step_by_runtime(lane);
	if (w->end != WALK_ON)
		w->end = WALK_NO_MAP;
	else
		w->nr = nr + 1;
	return w->end == WALK_ON;
}

/*
 * Adds the next STRIDE frames. Returns 0 if there are more. The loop's counter is opaque because the
 * verifier does not see the end of the loop that clang 23 makes otherwise, without a counter.
 */
__noinline int take_frames(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	for (uint32_t i = 0; s && UNWIND_OPAQUE(i) < STRIDE; i++)
		if ((!take_frame(s, lane) && !take_new_code(s, lane)) ||
			(recorded_by_native() && s->to_vm && s->walk.vm.frame))
			return 1;
	return !s;
}

#endif
