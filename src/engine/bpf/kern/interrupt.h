/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether a program runs on behalf of the current thread. */
#ifndef ENGINE_BPF_KERN_INTERRUPT_H
#define ENGINE_BPF_KERN_INTERRUPT_H

#include "tasks.h"

/*
 * Returns the number of the system call that the current thread is in, or a negative number if an
 * interrupt, or an exception without an error code, hit the thread in user mode.
 */
static __always_inline int64_t my_call(void)
{
	const char *regs;
	int64_t number = 0;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		regs = (const char *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else
		regs = (const char *)BPF_CORE_READ(current_task(), stack) + THREAD_SIZE -
		       sizeof(struct pt_regs___kernel);
	bpf_probe_read_kernel(&number, sizeof(number),
		regs + __builtin_offsetof(struct pt_regs___kernel, orig_ax));
	return number;
}

/*
 * Returns whether an interrupt may have hit the tracepoint whose arguments CTX is, so that the
 * current thread may have nothing to do with it. The kernel keeps the arguments on its stack, and
 * interrupts of the kernel have another stack than the thread. The address of CTX becomes a number
 * by a detour, as the verifier does not let programs compare it.
 */
static __always_inline bool is_interrupted(const struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t at = 0, stack = (uint64_t)BPF_CORE_READ(current_task(), stack);

	bpf_probe_read_kernel(&at, sizeof(at), &ctx);
	return at - stack >= THREAD_SIZE || my_call() < 0;
}

#endif
