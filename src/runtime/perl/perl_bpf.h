/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks Perl's stacks in the BPF programs, in the current task's memory. Included by vm_list.h. */
#ifndef RUNTIME_PERL_PERL_BPF_H
#define RUNTIME_PERL_PERL_BPF_H

#include "runtime/vm_read_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PERL_SUB_CACHE_SIZE);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct perl_cached_sub);
} perl_sub_cache SEC(".maps");

static __always_inline struct perl_cached_sub *perl_sub_cache_slot(uint64_t cv)
{
	uint32_t at = cpu_slot(cv, PERL_SUB_CACHE_SIZE);

	return bpf_map_lookup_elem(&perl_sub_cache, &at);
}

#define PERL_CACHED_SUB(w, cv) perl_sub_cache_slot(cv)

#include "perl_step.h"
#include "perl_text.h"

/* Begins a walk in the current thread. */
static __always_inline int perl_begin_here(struct perl_walk *w, const struct perl_layout *l)
{
	uint64_t interpreter;
	int end = follow_path(&l->interpreter, &interpreter);

	return end == VM_ON ? perl_begin(w, l, interpreter) : end;
}

/* Perl's coroutines are not told from other code. */
static __always_inline bool perl_is_coroutine_here(
	const struct perl_walk *w, const struct perl_layout *l)
{
	(void)w;
	(void)l;
	return false;
}

/* Reads the texts of FRAME; returns false if one of them could not be read. */
static __always_inline bool perl_texts_here(struct perl_walk *w, const struct perl_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct perl_texts *texts)
{
	(void)below;
	perl_read_texts(w, l, frame, texts);
	return texts->named && (texts->placed || !(frame->at & VM_ADDRESS));
}

#endif
