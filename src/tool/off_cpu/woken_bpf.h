/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes when waiting threads are woken. */
#ifndef TOOL_OFF_CPU_WOKEN_BPF_H
#define TOOL_OFF_CPU_WOKEN_BPF_H

#include "wait_spans_bpf.h"

SEC("raw_tp/sched_wakeup")
int on_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct span_key key = wait_key(BPF_CORE_READ((struct task_struct *)ctx->args[0], pid));
	struct span *wait = span_find(&key);

	if (wait && !wait->word[WAIT_WOKEN] && wait_state(wait) != WAIT_R)
		wait->word[WAIT_WOKEN] = bpf_ktime_get_ns();
	return 0;
}

#endif
