/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores return addresses that return probes (uretprobes of any program) have replaced. The stack
 * then holds the address of the kernel's trampoline, at the beginning of a separate page in the
 * process, and the kernel keeps the true addresses (kernel/events/uprobes.c).
 */
#ifndef ENGINE_BPF_KERN_RETURN_PROBES_H
#define ENGINE_BPF_KERN_RETURN_PROBES_H

#include "tasks.h"
#include "walk_parts.h"

enum {
	PROBES_PAGE = 4096, /* bytes */
	PROBES_SLOT = 128,  /* bytes of that page for the trampoline or a copy of an instruction */
	RETURNS_MAX = 64,   /* MAX_URETPROBE_DEPTH */
};

static __always_inline struct uprobe_task *probes_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->utask))
		return NULL;
	return BPF_CORE_READ(task, utask);
}

static __always_inline struct uprobe_task *my_probes(void)
{
	if (TASK_IS_TYPED && bpf_core_field_exists(current_task()->utask))
		return bpf_get_current_task_btf()->utask;
	return probes_of(current_task());
}

/* Returns the address of the trampoline in a TASK with PROBES, or 0 if there is none. */
static __always_inline uint64_t trampoline_of(struct task_struct *task, struct uprobe_task *probes)
{
	struct xol_area *page = NULL;

	if (probes && bpf_core_field_exists(page->vaddr))
		return BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	return 0;
}

/*
 * Returns the address of the record of the innermost call whose return address was replaced, or 0.
 */
static __always_inline uint64_t first_return(struct uprobe_task *probes)
{
	return probes ? (uint64_t)BPF_CORE_READ(probes, return_instances) : 0;
}

/*
 * Sets the pc of the walk, which has come from a frame to the trampoline, to the true return
 * address. Returns 0 if that is not known.
 */
__noinline int restore_return(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	for (int i = 0; s && s->next_return && i < RETURNS_MAX; i++) {
		struct return_instance *r = (void *)s->next_return;

		if (BPF_CORE_READ(r, stack) == s->walk.reg[REG_SP] - 8) {
			s->walk.reg[REG_PC] = BPF_CORE_READ(r, orig_ret_vaddr);
			return 1;
		}
		s->next_return = (uint64_t)BPF_CORE_READ(r, next);
	}
	return 0;
}

/*
 * Begins a walk of the current task, whose registers are known. A pc in the kernel's page is either
 * where a function has returned to, or just before or behind a copy of the instruction that a probe
 * replaced. Not inlined, because the callers have little room on the BPF stack.
 */
__noinline int take_probes(uint32_t lane)
{
	struct uprobe_task *probes = my_probes();
	struct scratch *s = my_scratch(lane);

	if (!s)
		return 0;
	struct walk *w = &s->walk;

	w->trampoline = trampoline_of(current_task(), probes);
	s->next_return = first_return(probes);
	uint64_t in = w->reg[REG_PC] - w->trampoline;

	if (!w->trampoline || in >= PROBES_PAGE)
		return 0;
	if (in >= PROBES_SLOT) {
		w->reg[REG_PC] = BPF_CORE_READ(probes, vaddr) + in % PROBES_SLOT;
	} else if (s->next_return) {
		struct return_instance *r = (void *)s->next_return;

		w->reg[REG_SP] = BPF_CORE_READ(r, stack) + 8;
		w->reg[REG_PC] = BPF_CORE_READ(r, orig_ret_vaddr);
		w->call = true;
	}
	return 0;
}

/* Adds the end of TASK's stack and the innermost replaced return addresses to its copy. */
static __noinline void describe_copy(struct scratch *s, struct task_struct *task)
{
	struct uprobe_task *probes = probes_of(task);
	struct return_instance *r = (void *)first_return(probes);

	s->copy.stack_end = own_stack_end(task);
	s->copy.trampoline = trampoline_of(task, probes);
	s->copy.nr_returns = 0;
	for (uint32_t i = 0; r && i < COPY_RETURNS; i++) {
		s->copy.returns[i].at = BPF_CORE_READ(r, stack);
		s->copy.returns[i].pc = BPF_CORE_READ(r, orig_ret_vaddr);
		s->copy.nr_returns = i + 1;
		r = BPF_CORE_READ(r, next);
	}
}

#endif
