/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When processes have executed their programs: what they held before, such as memory, is gone. User
 * space reads it, see tool/alloc/held.h.
 */
#ifndef ENGINE_BPF_KERN_EXECUTED_H
#define ENGINE_BPF_KERN_EXECUTED_H

#include "core.h"

enum { EXECUTED_MAX = 1 << 13 }; /* processes that are remembered */

/* By the number of the process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, EXECUTED_MAX);
	__type(key, uint32_t);
	__type(value, uint64_t); /* CLOCK_MONOTONIC, ns */
} executed SEC(".maps");

SEC("raw_tp/sched_process_exec")
int on_executed(struct bpf_raw_tracepoint_args *ctx)
{
	struct ids ids = my_ids();
	uint64_t now = bpf_ktime_get_ns();

	(void)ctx;
	if (is_target(current_task(), ids))
		bpf_map_update_elem(&executed, &ids.tgid, &now, BPF_ANY);
	return 0;
}

#endif
