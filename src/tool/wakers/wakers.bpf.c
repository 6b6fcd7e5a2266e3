// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakers: takes stacks when threads are switched out and of the threads that wake them, and
 * measures the time until they run again.
 */
#define KEEPS_WAKERS true
#include "tool/off_cpu/wait_spans_bpf.h"

/* Returns the ended wait of the current thread, which has its wakers, or NULL. */
static __always_inline const struct span *my_last_wait(void)
{
	struct span_key key = wait_key(bpf_get_current_pid_tgid());
	const struct span *wait = span_find(&key);

	return wait && wait->row.start == my_start() && wait_state(wait) == WAIT_NONE ? wait : NULL;
}

/* Notes who wakes the thread of WAIT. */
static __noinline int note_waker(struct bpf_raw_tracepoint_args *ctx, struct span *wait)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);

	if (!s || !count || !wait)
		return 0;
	uint64_t waker = take_waker(ctx, s, count);

	set_wakers(wait, waker, my_last_wait(), settings.option[WAIT_OPTION_CHAIN]);
	return 0;
}

/* Unlike sched_wakeup, this tracepoint is hit on the processor of the waker. */
SEC("raw_tp/sched_waking")
int on_waking(struct bpf_raw_tracepoint_args *ctx)
{
	struct span_key key = wait_key(BPF_CORE_READ((struct task_struct *)ctx->args[0], pid));
	struct span *wait = span_find(&key);

	if (!wait || wait->word[WAIT_WOKEN] || wait_state(wait) == WAIT_R ||
		wait_state(wait) == WAIT_NONE)
		return 0;
	wait->word[WAIT_WOKEN] = bpf_ktime_get_ns();
	note_waker(ctx, wait);
	return 0;
}
