/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rules for code that was compiled at run time. Loops are in global functions; see core.h.
 */
#ifndef ENGINE_BPF_KERN_COMPILED_CODE_H
#define ENGINE_BPF_KERN_COMPILED_CODE_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, JIT_LAYOUTS_MAX);
	__type(key, uint32_t); /* tgid */
	__type(value, struct jit_layout);
} jit_layouts SEC(".maps");

/*
 * Searches the JIT_BLOCK bytes of code before END for a marker, see jit.h. Returns -1 if they
 * cannot be read.
 */
__noinline int search_block(uint32_t lane, uint64_t end)
{
	struct scratch *s = my_scratch(lane);

	if (!s || bpf_probe_read_user(s->code, JIT_BLOCK, (void *)(end - JIT_BLOCK)))
		return -1;
	return jit_search(s->code);
}

/*
 * Returns how to find the CFA (enum unwind_cfa), by the code before END, which was compiled at run
 * time.
 */
static __always_inline int search_blocks(uint32_t lane, uint64_t start, uint64_t end)
{
	for (int i = 0; i < JIT_BLOCKS; i++, end -= JIT_BLOCK - JIT_OVERLAP) {
		int marker = end - JIT_BLOCK < start ? -1 : search_block(lane, end);

		if (marker)
			return marker < 0 ? UNWIND_CFA_JIT : marker;
	}
	return UNWIND_CFA_JIT;
}

__noinline int search_code(uint32_t lane, uint64_t start, uint64_t end)
{
	return search_blocks(lane, start, end);
}

__noinline uint64_t find_hotspot_block(uint32_t lane, uint64_t pc);
__noinline int find_hotspot_prologue(uint32_t lane, uint64_t address, uint32_t size);

#define HOTSPOT_BLOCK(w, l, pc) find_hotspot_block(WALK_LANE(w), pc)
#define HOTSPOT_FIND_PROLOGUE(w, address, size) find_hotspot_prologue(WALK_LANE(w), address, size)
/* inline, because each call takes at least 32 bytes of the stack by the kernel's count */
#define JIT_SEARCH_CODE(w, start) search_blocks(WALK_LANE(w), start, walk_pc(w))

__noinline int next_sljit_block(uint32_t lane);
__noinline int next_sljit_push(uint32_t lane);
__noinline int next_sljit_move(uint32_t lane);
__noinline int next_sljit_pop(uint32_t lane);

#define SLJIT_NEXT_BLOCK(w) next_sljit_block(WALK_LANE(w))
#define SLJIT_NEXT_PUSH(w) next_sljit_push(WALK_LANE(w))
#define SLJIT_NEXT_MOVE(w) next_sljit_move(WALK_LANE(w))
#define SLJIT_NEXT_POP(w) next_sljit_pop(WALK_LANE(w))

#include "unwind/jit_rule.h"

static __always_inline const struct jit_layout *my_layout(struct scratch *s)
{
	return bpf_map_lookup_elem(&jit_layouts, &s->row.tgid);
}

/* Returns whether the process has traces of LuaJIT. */
static __always_inline bool has_traces(struct scratch *s)
{
	const struct jit_layout *layout = my_layout(s);

	return layout && layout->kind == JIT_LUAJIT;
}

/* The global version of hotspot_block(). */
__noinline uint64_t find_hotspot_block(uint32_t lane, uint64_t pc)
{
	struct scratch *s = my_scratch(lane);
	const struct jit_layout *layout = s ? my_layout(s) : NULL;

	return layout ? hotspot_block(&s->walk, &layout->hotspot, pc) : 0;
}

/* The global version of hotspot_find_prologue(). */
__noinline int find_hotspot_prologue(uint32_t lane, uint64_t address, uint32_t size)
{
	struct scratch *s = my_scratch(lane);

	return s ? hotspot_find_prologue(&s->walk, address, size) : HOTSPOT_OTHER;
}

/*
 * Sets s->jit_rule to the rule for the walk's pc in code that was compiled at run time. Returns 0
 * if the layout of the process has no rule.
 */
__noinline int look_up_layout(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	const struct jit_layout *layout = s ? my_layout(s) : NULL;

	if (!layout)
		return 0;
	s->lane = lane;
	return jit_rule(&s->walk, layout, &s->jit_rule);
}

/* The global versions of sljit_next_block(), sljit_next_push() and so on. */
__noinline int next_sljit_block(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return !s || sljit_next_block(&s->walk);
}

__noinline int next_sljit_push(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return !s || sljit_next_push(&s->walk);
}

__noinline int next_sljit_move(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return !s || sljit_next_move(&s->walk);
}

__noinline int next_sljit_pop(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	return !s || sljit_next_pop(&s->walk);
}

/*
 * Sets s->jit_rule to the rule for the walk's pc in code of sljit. Returns 0 if it is other code.
 */
__noinline int look_up_sljit(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	if (!s)
		return 0;
	s->lane = lane;
	return sljit_rule(&s->walk, &s->jit_rule);
}

/* Steps to the caller by the layout of the process. */
__noinline int step_by_layout(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);
	const struct jit_layout *layout = s ? my_layout(s) : NULL;

	return layout ? walk_by_layout(&s->walk, layout) : WALK_NO_RULE;
}

/* The global version of luajit_is_frame(). */
__noinline int is_luajit_frame(uint32_t lane, uint64_t sp)
{
	struct scratch *s = my_scratch(lane);

	return s && luajit_is_frame(&s->walk, sp);
}

/* Steps to the caller of LuaJIT's assembly code or of a trace. */
__noinline int step_by_luajit(uint32_t lane, uint32_t compiled)
{
	struct scratch *s = my_scratch(lane);

	if (!s)
		return WALK_NO_RULE;
	s->lane = lane;
	return walk_by_luajit(&s->walk, compiled);
}

#endif
