/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks CPython's stacks in the BPF programs, in the current task's memory. Included by vm_list.h.
 */
#ifndef RUNTIME_PYTHON_PYTHON_BPF_H
#define RUNTIME_PYTHON_PYTHON_BPF_H

#include "runtime/vm_read_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PYTHON_THREAD_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct python_cached_thread);
} python_threads SEC(".maps");

static __always_inline struct python_cached_thread *python_thread_slot(uint64_t thread)
{
	uint32_t at = cpu_slot(thread, PYTHON_THREAD_CACHE_SIZE);

	return bpf_map_lookup_elem(&python_threads, &at);
}

#define PYTHON_CACHED_THREAD(w) python_thread_slot((w)->thread)
#define PYTHON_SEARCH(w, l) python_search()
#define PYTHON_FIND_LINE(w, l) python_find_line()

static __always_inline void python_search(void);
static __always_inline void python_find_line(void);

#include "python_step.h"
#include "python_text.h"

enum { PYTHON_STRIDE = 128 }; /* steps per function call, for the verifier */

/* Each step is a global function, which the verifier checks only once: see native_walk.h. */
__noinline int python_search_next(uint32_t lane)
{
	struct scratch *s = vm_used(VM_PYTHON) ? my_scratch(lane) : NULL;

	return !s || python_search_step(&s->vm.walks.python, &s->vm.layout.python);
}

__noinline int python_search_stride(uint32_t lane)
{
	for (uint64_t i = 0; i < PYTHON_STRIDE; i++)
		if (python_search_next(lane))
			return 1;
	return 0;
}

/* Forgets the thread state if the search did not end, as it may be another thread's. */
__noinline int python_search_cut(uint32_t lane)
{
	struct scratch *s = vm_used(VM_PYTHON) ? my_scratch(lane) : NULL;

	if (s)
		s->vm.walks.python.state = 0;
	return 0;
}

static __always_inline void python_search(void)
{
	for (int i = 0; i < PYTHON_SEARCH_STEPS / PYTHON_STRIDE; i++)
		if (python_search_stride(LANE_EVENT))
			return;
	python_search_cut(LANE_EVENT);
}

__noinline int python_line_next(uint32_t lane)
{
	struct scratch *s = vm_used(VM_PYTHON) ? my_scratch(lane) : NULL;

	return !s || python_line_step(&s->vm.walks.python, &s->vm.layout.python);
}

__noinline int python_line_stride(uint32_t lane)
{
	for (uint64_t i = 0; i < PYTHON_STRIDE; i++)
		if (python_line_next(lane))
			return 1;
	return 0;
}

__noinline int python_line_cut(uint32_t lane)
{
	struct scratch *s = vm_used(VM_PYTHON) ? my_scratch(lane) : NULL;

	if (s)
		s->vm.walks.python.line.has_line = false;
	return 0;
}

static __always_inline void python_find_line(void)
{
	for (int i = 0; i < PYTHON_LINE_STEPS / PYTHON_STRIDE; i++)
		if (python_line_stride(LANE_EVENT))
			return;
	python_line_cut(LANE_EVENT);
}

/* Begins a walk in the current thread. */
static __always_inline int python_begin_here(struct python_walk *w, const struct python_layout *l)
{
	if (!have_memory()) /* the thread is exiting */
		return VM_NOT_RUNNING;
	return python_begin(w, l, BPF_CORE_READ(current_task(), THREAD_POINTER));
}

/* The frames of generators and coroutines that run are in their callers' order. */
static __always_inline bool python_is_coroutine_here(
	const struct python_walk *w, const struct python_layout *l)
{
	(void)w;
	(void)l;
	return false;
}

/* Reads the texts of FRAME; returns false if one of them could not be read. */
static __always_inline bool python_texts_here(struct python_walk *w, const struct python_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct python_texts *texts)
{
	(void)below;
	python_read_texts(w, l, frame, texts);
	return texts->named && texts->placed;
}

#endif
