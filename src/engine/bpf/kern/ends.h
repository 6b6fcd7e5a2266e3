/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the ends of requests and other owners of samples with a uprobe in the function that ends
 * them, whose first argument is the address of the owner.
 */
#ifndef ENGINE_BPF_KERN_ENDS_H
#define ENGINE_BPF_KERN_ENDS_H

#include "core.h"

SEC("uprobe")
int on_end(struct pt_regs *regs)
{
	struct counters *count = my_counters(LANE_END);
	struct scratch *s = my_scratch(LANE_END);
	struct ids ids = my_ids();

	if (!count || !s || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until)
		return 0;
	if (!claim_scratch(s)) {
		count->ends_lost++;
		return 0;
	}
	take_task(s, ids);
	s->row.event = ROW_ENDS;
	if (take_end(LANE_END, PT_REGS_PARM1(regs)))
		add_row(&s->row, 1, 1, count);
	release_scratch(s);
	return 0;
}

#endif
