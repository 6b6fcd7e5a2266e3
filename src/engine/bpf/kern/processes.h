/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracks the recorded processes: programs that every tool has in addition to its own. */
#ifndef ENGINE_BPF_KERN_PROCESSES_H
#define ENGINE_BPF_KERN_PROCESSES_H

#include "core.h"

char LICENSE[] SEC("license") = "GPL";

/* Children of recorded processes are recorded. */
SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	uint32_t from = ids_of(parent).tgid, to = ids_of(child).tgid;
	const struct vm_layout *layout = bpf_map_lookup_elem(&vm_layouts, &from);
	uint32_t yes = 1;

	if (from == to)
		return 0;
	if (settings.children && bpf_map_lookup_elem(&target_pids, &from))
		bpf_map_update_elem(&target_pids, &to, &yes, BPF_ANY);
	if (layout)
		bpf_map_update_elem(&vm_layouts, &to, layout, BPF_ANY);
	return 0;
}

/* Mappings and VM layout of the old program are no longer valid. */
SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = my_ids().tgid;

	bpf_map_delete_elem(&spaces, &tgid);
	bpf_map_delete_elem(&vm_layouts, &tgid);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = current_task();
	uint32_t tgid = my_ids().tgid;

	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	bpf_map_delete_elem(&spaces, &tgid);
	bpf_map_delete_elem(&vm_layouts, &tgid);
	if (settings.children)
		bpf_map_delete_elem(&target_pids, &tgid);
	return 0;
}

#endif
