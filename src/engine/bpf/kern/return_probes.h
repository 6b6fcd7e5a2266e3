/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return addresses that return probes have replaced (uretprobes, of whatever program): the stack
 * has the address of the kernel's trampoline there, at the beginning of a page of its own in
 * the process, and the kernel keeps the true ones (kernel/events/uprobes.c). Part of core.h.
 */
#ifndef ENGINE_BPF_KERN_RETURN_PROBES_H
#define ENGINE_BPF_KERN_RETURN_PROBES_H

enum {
	PROBES_PAGE = 4096, /* bytes */
	PROBES_SLOT = 128,  /* of that page: the trampoline, or a copy of an instruction */
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

/* The address of the trampoline in a TASK with PROBES; 0: it has none. */
static __always_inline uint64_t trampoline_of(struct task_struct *task, struct uprobe_task *probes)
{
	struct xol_area *page = NULL;

	if (probes && bpf_core_field_exists(page->vaddr))
		return BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	return 0;
}

/* The innermost call whose return address was replaced. */
static __always_inline uint64_t first_return(struct uprobe_task *probes)
{
	return probes ? (uint64_t)BPF_CORE_READ(probes, return_instances) : 0;
}

/*
 * The walk has come from a frame to the trampoline: sets its pc to the true return address. 0: that
 * is not known.
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
 * Begins a walk of the current task, whose registers are known. A leaf in the kernel's page is
 * either where a function has returned to, or before or behind a copy of the instruction that a
 * probe replaced. Not inlined, as the callers' room on the BPF stack is scarce.
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

/* Adds to the copy of TASK's stack its end and the innermost replaced return addresses. */
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
