// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * at: takes a stack at each hit of the probe points that the user gives. There is one program for
 * each kind of probe. It is told by its cookie at which probe point it runs.
 */
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"

#include "at.h"

/* Returns the number of the probe point. Before Linux 5.15 there is only one. */
static __always_inline uint32_t point_of(void *ctx)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie))
		return 0;
	return bpf_get_attach_cookie(ctx) % AT_MAX;
}

/*
 * Takes the stacks of a hit that stands for NR events. REGS are the registers of user mode, or NULL
 * if the probe is in the kernel. FROM is CTX, or NULL, as for kernel_stack().
 */
static __always_inline int take_hit_of(void *ctx, void *from, const void *regs, uint64_t nr)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = my_ids();

	if (!count || !s || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until ||
		(regs && !settings.user && !settings.vm))
		return 0;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, ids);
	s->row.state = TOOL_STATE(point_of(ctx));
	if (regs)
		regs_take(&s->regs, regs);
	if (take_stacks(from, s, regs != NULL, count))
		add_row(&s->row, 1, nr, count);
	release_scratch(s);
	return 0;
}

static __always_inline int take_hit(void *ctx, const void *regs, uint64_t nr)
{
	return take_hit_of(ctx, ctx, regs, nr);
}

SEC("kprobe")
int at_kernel(struct pt_regs *regs)
{
	return take_hit(regs, NULL, 1);
}

SEC("uprobe")
int at_user(struct pt_regs *regs)
{
	return take_hit(regs, regs, 1);
}

SEC("tracepoint")
int at_trace(void *ctx)
{
	return take_hit(ctx, NULL, 1);
}

/*
 * At the tracepoints of system calls some kernels (6.1) give programs the registers of user mode in
 * place of the kernel's, from which they find no kernel stack.
 */
SEC("tracepoint")
int at_syscall(void *ctx)
{
	return TASK_IS_TYPED ? take_hit_of(ctx, NULL, NULL, 1) : take_hit(ctx, NULL, 1);
}

SEC("perf_event")
int at_event(struct bpf_perf_event_data *ctx)
{
	return take_hit(ctx, regs_are_user(&ctx->regs) ? &ctx->regs : NULL, ctx->sample_period);
}
