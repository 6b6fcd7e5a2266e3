// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wall: measures what threads do all the time: their waits, with the stack of each, and their runs.
 * Ticks tell where they run.
 */
#include "tool/off_cpu/wait_spans_bpf.h"
#include "tool/off_cpu/woken_bpf.h"

/* Counts a tick for the stack that it hits. */
SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	bool in_user = regs_are_user(&ctx->regs);
	struct ids ids = my_ids();

	if (!count || !s)
		return 0;
	count->ticks++;
	if (!ids.tid || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until ||
		!claim_scratch(s))
		return 0;
	take_task(s, ids);
	if (in_user)
		regs_take(&s->regs, &ctx->regs);
	if (take_stacks(ctx, s, in_user, count)) {
		s->row.state = TOOL_STATE(WAIT_TICK);
		add_row(&s->row, 1, 1, count);
	}
	release_scratch(s);
	return 0;
}

/* A new thread waits for its first processor, without a stack. */
SEC("raw_tp/sched_wakeup_new")
int on_wakeup_new(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = ids_of(task);
	struct span_key key = wait_key(BPF_CORE_READ(task, pid));
	uint64_t now = bpf_ktime_get_ns();

	if (!count || !s || now > control.until || !is_target(task, ids) || !claim_scratch(s))
		return 0;
	take_task(s, ids);
	s->row.start = BPF_CORE_READ(task, start_boottime);
	bpf_core_read(s->row.comm, sizeof(s->row.comm), &task->comm);
	s->span.word[WAIT_WOKEN] = 0;
	s->span.word[WAIT_CPU] = 0;
	s->span.word[WAIT_STATE] = WAIT_W;
	span_begin(s, &key, now, count);
	release_scratch(s);
	return 0;
}
