/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks PHP's stacks in the BPF programs, in the current task's memory. Included by vm_list.h. */
#ifndef RUNTIME_PHP_PHP_BPF_H
#define RUNTIME_PHP_PHP_BPF_H

#include "runtime/vm_read_bpf.h"

#include "php_step.h"
#include "php_text.h"

/* Begins a walk in the current thread. */
static __always_inline int php_begin_here(struct php_walk *w, const struct php_layout *l)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	uint64_t globals;
	int end = follow_path(&l->globals, &globals);

	if (!s || end != VM_ON)
		return end;
	__builtin_memset(w->vm.native.reg, 0, sizeof(w->vm.native.reg));
	if (take_my_saved_regs(s))
		regs_preserved(&s->regs, w->vm.native.reg);
	return php_begin(w, l, globals);
}

/* A fiber's calls are linked to the calls of the code that has resumed it. */
static __always_inline bool php_is_coroutine_here(
	const struct php_walk *w, const struct php_layout *l)
{
	(void)w;
	(void)l;
	return false;
}

/* Reads the texts of FRAME; returns false if one of them could not be read. */
static __always_inline bool php_texts_here(struct php_walk *w, const struct php_layout *l,
	const struct vm_frame *frame, const struct vm_frame *below, struct php_texts *texts)
{
	php_read_texts(w, l, frame, below, texts);
	return texts->named && (texts->placed || php_frame_type(frame->what) == PHP_IN_C);
}

#endif
