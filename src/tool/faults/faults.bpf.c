// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults: takes stacks at page faults. The kernel counts the software events at which the programs
 * run where it counts the faults of getrusage(2).
 */
#include "faults.h"

#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"

static __always_inline int take_fault(struct bpf_perf_event_data *ctx, uint32_t kind)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	bool in_user = regs_are_user(&ctx->regs);
	struct ids ids = my_ids();

	if (!count || !s || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until)
		return 0;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, ids);
	s->row.state = TOOL_STATE(kind);
	if (in_user)
		regs_take(&s->regs, &ctx->regs);
	if (take_stacks(ctx, s, in_user, count))
		add_row(&s->row, 1, 1, count);
	release_scratch(s);
	return 0;
}

SEC("perf_event")
int on_minor(struct bpf_perf_event_data *ctx)
{
	return take_fault(ctx, FAULT_MINOR);
}

SEC("perf_event")
int on_major(struct bpf_perf_event_data *ctx)
{
	return take_fault(ctx, FAULT_MAJOR);
}
