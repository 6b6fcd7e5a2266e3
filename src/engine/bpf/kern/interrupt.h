/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether a program runs on behalf of the current thread. */
#ifndef ENGINE_BPF_KERN_INTERRUPT_H
#define ENGINE_BPF_KERN_INTERRUPT_H

#include "tasks.h"

/*
 * Returns whether an interrupt hit the tracepoint whose arguments CTX is, and the current thread
 * may have nothing to do with it. The kernel keeps the arguments on its stack, and interrupts have
 * another stack than the thread. The address of CTX becomes a number by a detour, as the verifier
 * does not let programs compare it.
 */
static __always_inline bool in_interrupt(const struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t at = 0, stack = (uint64_t)BPF_CORE_READ(current_task(), stack);

	bpf_probe_read_kernel(&at, sizeof(at), &ctx);
	return at - stack >= THREAD_SIZE;
}

#endif
