/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks Ruby's stacks in the BPF programs, in the current task's memory. Included by vm_list.h. */
#ifndef RUNTIME_RUBY_RUBY_BPF_H
#define RUNTIME_RUBY_RUBY_BPF_H

#include "runtime/vm_read_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RUBY_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct ruby_cached);
} ruby_cache SEC(".maps");

static __always_inline struct ruby_cached *ruby_cache_slot(uint64_t iseq, uint64_t pc)
{
	uint32_t at = cpu_slot(iseq ^ pc << 3, RUBY_CACHE_SIZE);

	return bpf_map_lookup_elem(&ruby_cache, &at);
}

#define RUBY_CACHED(w, iseq, pc) ruby_cache_slot(iseq, pc)

#include "ruby_step.h"
#include "ruby_text.h"

/* Begins a walk in the current thread. */
static __always_inline int ruby_begin_here(struct ruby_walk *w, const struct ruby_layout *l)
{
	uint64_t ec, gc;
	int end = follow_path(&l->ec, &ec);

	if (end == VM_ON)
		end = ruby_begin(w, ec);
	if (end == VM_ON && l->gc.nr && follow_path(&l->gc, &gc) == VM_ON)
		ruby_find_gc(w, l, gc);
	return end;
}

/* A fiber has an execution context of its own, whose walk ends at its first frame. */
static __always_inline bool ruby_is_coroutine_here(
	const struct ruby_walk *w, const struct ruby_layout *l)
{
	(void)w;
	(void)l;
	return false;
}

/* Reads the texts of FRAME; returns false if one of them could not be read. */
static __always_inline bool ruby_texts_here(struct ruby_walk *w, const struct ruby_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct ruby_texts *texts)
{
	(void)below;
	ruby_read_texts(w, l, frame, texts);
	return texts->named && (texts->placed || ruby_frame_type(frame->what) != RUBY_CODE);
}

#endif
