/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks Lua's stacks in the BPF programs, in the current task's memory. Included by vm_list.h. */
#ifndef RUNTIME_LUA_LUA_BPF_H
#define RUNTIME_LUA_LUA_BPF_H

#include "runtime/vm_read_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LUA_TRACE_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct lua_cached_trace);
} lua_trace_cache SEC(".maps");

static __always_inline struct lua_cached_trace *lua_trace_cache_slot(uint64_t pc)
{
	uint32_t at = cpu_slot(pc, LUA_TRACE_CACHE_SIZE);

	return bpf_map_lookup_elem(&lua_trace_cache, &at);
}

#define LUA_SEARCH_NAME(w, s) lua_search_name()
#define PUC_SEARCH(w, s) puc_search()
#define PUC_STEP(w, s) puc_step_here(LANE_EVENT)
#define LUA_CACHED_TRACE(w, pc) lua_trace_cache_slot(pc)

static __always_inline void lua_search_name(void);
static __always_inline void puc_search(void);
int puc_step_here(uint32_t lane);

#include "lua_step.h"
#include "lua_text.h"

/* Each step is a global function, which the verifier checks only once: see native_walk.h. */
__noinline int puc_step_here(uint32_t lane)
{
	struct scratch *s = vm_used(VM_LUA) ? my_scratch(lane) : NULL;

	return s ? puc_step(&s->vm.walks.lua, &s->vm.layout.lua.puc.shape) : VM_INCONSISTENT;
}

__noinline int lua_search_name_step(uint32_t lane)
{
	struct scratch *s = vm_used(VM_LUA) ? my_scratch(lane) : NULL;

	return !s || lua_search_step(&s->vm.walks.lua, &s->vm.layout.lua.jit.shape);
}

static __always_inline void lua_search_name(void)
{
	for (int i = 0; i < LUA_SEARCH_STEPS; i++)
		if (lua_search_name_step(LANE_EVENT))
			break;
}

__noinline int puc_search_next(uint32_t lane)
{
	struct scratch *s = vm_used(VM_LUA) ? my_scratch(lane) : NULL;

	return !s || puc_search_step(&s->vm.walks.lua, &s->vm.layout.lua.puc.shape);
}

static __always_inline void puc_search(void)
{
	for (int i = 0; i < LUA_SEARCH_STEPS; i++)
		if (puc_search_next(LANE_EVENT))
			break;
}

/* Returns whether the walk that has begun is over a coroutine of LuaJIT. */
static __always_inline bool lua_is_coroutine_here(struct lua_walk *w, const struct lua_layout *l)
{
	return l->kind == LUA_JIT && lua_is_coroutine(w, &l->jit.shape);
}

/* Begins a walk in the current thread. */
static __always_inline int lua_begin_here(struct lua_walk *w, const struct lua_layout *l)
{
	return lua_begin(w, l);
}

/* Reads the texts of FRAME; returns false if one of them could not be read. */
static __always_inline bool lua_texts_here(struct lua_walk *w, const struct lua_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *texts)
{
	lua_read_texts(w, l, frame, below, texts);
	return texts->named;
}

#endif
