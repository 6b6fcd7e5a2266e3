// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pools: takes the stacks at which nginx creates memory pools, and keeps each until the pool is
 * destroyed.
 */
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"

/*
 * Runs in ngx_create_pool(), when its return value is known. The address may have belonged to an
 * earlier pool whose destruction was missed.
 */
SEC("uprobe")
int on_pool_created(struct pt_regs *regs)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct ids ids = my_ids();
	struct span_key key = {PT_REGS_RC(regs), ids.tgid, 0};

	if (!count || !s || !key.id || !is_target(current_task(), ids) ||
		bpf_ktime_get_ns() > control.until)
		return 0;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	count->hits++;
	take_task(s, ids);
	regs_take(&s->regs, regs);
	if (take_stacks(regs, s, true, count))
		span_begin(s, &key, bpf_ktime_get_ns(), count);
	release_scratch(s);
	return 0;
}

/*
 * Runs in ngx_destroy_pool(), also after the end of the recording until the pools have been read.
 */
SEC("uprobe")
int on_pool_destroyed(struct pt_regs *regs)
{
	struct span_key key = {PT_REGS_PARM1(regs), my_ids().tgid, 0};

	span_drop(&key);
	return 0;
}
