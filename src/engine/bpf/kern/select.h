/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the tasks that are recorded. */
#ifndef ENGINE_BPF_KERN_SELECT_H
#define ENGINE_BPF_KERN_SELECT_H

#include "scratch.h"
#include "tasks.h"

#include "runtime/vm_read_bpf.h"

enum { CGROUP_LEVELS = 32 }; /* levels at which target_cgroups are searched */

static __always_inline bool comm_matches(struct task_struct *task)
{
	uint64_t comm[2] = {0};

	bpf_core_read(comm, sizeof(comm), &task->comm);
	return !((comm[0] ^ settings.comm[0]) & settings.comm_mask[0]) &&
	       !((comm[1] ^ settings.comm[1]) & settings.comm_mask[1]);
}

/* Returns the ID of CGROUP's ancestor at LEVEL, which is at most CGROUP's level. */
static __always_inline uint64_t ancestor_id(struct cgroup *cgroup, uint32_t level)
{
	const char *at = (const char *)cgroup;
	struct cgroup *ancestor = NULL;
	uint64_t id = 0;

	if (bpf_core_field_exists(cgroup->ancestors)) {
		at += bpf_core_field_offset(struct cgroup, ancestors);
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor), at + level * sizeof(ancestor));
		return BPF_CORE_READ(ancestor, kn, id);
	}
	at += bpf_core_field_offset(struct cgroup___before_6_1, ancestor_ids);
	bpf_probe_read_kernel(&id, sizeof(id), at + level * sizeof(id));
	return id;
}

static __always_inline bool cgroup_matches(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	uint32_t level = BPF_CORE_READ(cgroup, level), levels = control.cgroup_levels;

	for (uint32_t i = 0; i < CGROUP_LEVELS && i <= level; i++) {
		if (!(levels >> i & 1))
			continue;
		uint64_t id = ancestor_id(cgroup, i);

		if (bpf_map_lookup_elem(&target_cgroups, &id))
			return true;
	}
	return false;
}

/*
 * Returns whether TASK is selected by its name or cgroup. Not inlined, to have its own stack frame.
 */
static __noinline bool is_selected(struct task_struct *task)
{
	if (settings.by_comm)
		return comm_matches(task) || comm_matches(BPF_CORE_READ(task, group_leader));
	return settings.by_cgroup && cgroup_matches(task);
}

/* Returns whether TASK, whose IDs are IDS, is recorded. */
static __always_inline bool is_target(struct task_struct *task, struct ids ids)
{
	if (!ids.tid)
		return settings.idle && !(uint32_t)bpf_get_current_pid_tgid();
	if (settings.only_vm && !bpf_map_lookup_elem(&vm_layouts, &ids.tgid))
		return false;
	if ((settings.by_comm || settings.by_cgroup) && is_selected(task))
		return true;
	if (settings.all)
		return true;
	return (settings.pids && bpf_map_lookup_elem(&target_pids, &ids.tgid)) ||
	       (settings.tids && bpf_map_lookup_elem(&target_tids, &ids.tid));
}

#endif
