/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracks the recorded processes, with programs that every tool has in addition to its own. */
#ifndef ENGINE_BPF_KERN_PROCESSES_H
#define ENGINE_BPF_KERN_PROCESSES_H

#include "core.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * Recorded processes that exit. Freeing their memory is part of their time, and for a short process
 * much of it, so they are recorded until the kernel has dropped them.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TARGETS);
	__type(key, uint32_t);   /* number of the process in the initial namespace */
	__type(value, uint32_t); /* number in the recorder's namespace, as in target_pids */
} leaving SEC(".maps");

/*
 * Records the child TO if its parent FROM is recorded. Otherwise TO is not recorded, even if an
 * earlier process with this number was. NUMBER is the child's number in the initial namespace.
 */
static __always_inline void follow_child(uint32_t from, uint32_t to, uint32_t number)
{
	bpf_map_delete_elem(&leaving, &number);
	if (settings.children && bpf_map_lookup_elem(&target_pids, &from))
		bpf_map_update_elem(&target_pids, &to, &number, BPF_ANY);
	else
		bpf_map_delete_elem(&target_pids, &to);
}

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	uint32_t from = ids_of(parent).tgid, to = ids_of(child).tgid;
	const struct vm_layout *layout = bpf_map_lookup_elem(&vm_layouts, &from);
	const struct label_layout *label = bpf_map_lookup_elem(&label_layouts, &from);

	if (from == to)
		return 0;
	if (settings.pids)
		follow_child(from, to, BPF_CORE_READ(child, tgid));
	if (layout)
		bpf_map_update_elem(&vm_layouts, &to, layout, BPF_ANY);
	if (label)
		bpf_map_update_elem(&label_layouts, &to, label, BPF_ANY);
	return 0;
}

/*
 * Drops the mappings and layouts of the old program, which are no longer valid. Until its exec, the
 * process of the command is a child of the recorder that waits for the recording to begin.
 */
SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = my_ids().tgid;

	if (control.command && control.command == tgid) {
		uint32_t number = BPF_CORE_READ(current_task(), tgid);

		bpf_map_update_elem(&target_pids, &tgid, &number, BPF_ANY);
		control.command = 0;
	}
	bpf_map_delete_elem(&spaces, &tgid);
	bpf_map_delete_elem(&jit_layouts, &tgid);
	bpf_map_delete_elem(&vm_layouts, &tgid);
	bpf_map_delete_elem(&label_layouts, &tgid);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = current_task();
	struct ids ids = my_ids();
	uint32_t tgid = ids.tgid;

	if (settings.tids)
		bpf_map_delete_elem(&target_tids, &ids.tid);
	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	bpf_map_delete_elem(&spaces, &tgid);
	bpf_map_delete_elem(&jit_layouts, &tgid);
	bpf_map_delete_elem(&vm_layouts, &tgid);
	bpf_map_delete_elem(&label_layouts, &tgid);
	if (settings.pids && bpf_map_lookup_elem(&target_pids, &tgid)) {
		uint32_t number = BPF_CORE_READ(task, tgid);

		if (bpf_map_update_elem(&leaving, &number, &tgid, BPF_ANY))
			bpf_map_delete_elem(&target_pids, &tgid);
		else
			bpf_map_update_elem(&target_pids, &tgid, &number, BPF_ANY);
	}
	return 0;
}

SEC("raw_tp/sched_process_free")
int on_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	uint32_t number = BPF_CORE_READ(task, tgid);

	if (!settings.pids || BPF_CORE_READ(task, pid) != (int)number)
		return 0; /* only the main thread counts, which is freed last */
	const uint32_t *tgid = bpf_map_lookup_elem(&leaving, &number);

	if (!tgid)
		return 0;
	uint32_t key = *tgid;
	const uint32_t *of = bpf_map_lookup_elem(&target_pids, &key);

	/* in a namespace with few processes another process may have got the number */
	if (of && *of == number)
		bpf_map_delete_elem(&target_pids, &key);
	bpf_map_delete_elem(&leaving, &number);
	return 0;
}

#endif
