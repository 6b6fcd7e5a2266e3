// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * off-cpu: takes stacks when threads are switched out, and measures the time until they run again.
 */
#include "off_cpu.h"

#define SPANS_MAX WAITS_MAX
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "wait_parts_bpf.h"

SEC("raw_tp/sched_wakeup")
int on_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct span_key key = wait_key(BPF_CORE_READ((struct task_struct *)ctx->args[0], pid));
	struct span *wait = span_find(&key);

	if (wait && !wait->word[WAIT_WOKEN] && wait->word[WAIT_STATE] != WAIT_R)
		wait->word[WAIT_WOKEN] = bpf_ktime_get_ns();
	return 0;
}
