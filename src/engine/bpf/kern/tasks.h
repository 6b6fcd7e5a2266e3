/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of the current task and its IDs in the recorder's PID namespace. A program with settings
 * of its own defines PID_NS, the namespace's inode, before it includes this file.
 */
#ifndef ENGINE_BPF_KERN_TASKS_H
#define ENGINE_BPF_KERN_TASKS_H

#include "structs.h"

#ifndef PID_NS
#include "maps.h"
#define PID_NS settings.pid_ns
#endif

static __always_inline struct task_struct *current_task(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

/* Since 5.11 programs may dereference the current task's pointers directly, which is cheaper. */
#define TASK_IS_TYPED bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)

static __always_inline uint64_t my_start(void)
{
	return TASK_IS_TYPED ? bpf_get_current_task_btf()->start_boottime
			     : BPF_CORE_READ(current_task(), start_boottime);
}

static __always_inline bool have_memory(void)
{
	return TASK_IS_TYPED ? bpf_get_current_task_btf()->mm : BPF_CORE_READ(current_task(), mm);
}

static __always_inline bool program_has_started(void)
{
	return TASK_IS_TYPED ? bpf_get_current_task_btf()->mm->end_code
			     : BPF_CORE_READ(current_task(), mm, end_code);
}

static __always_inline uint32_t my_flags(void)
{
	return TASK_IS_TYPED ? bpf_get_current_task_btf()->flags
			     : BPF_CORE_READ(current_task(), flags);
}

static __always_inline uint64_t my_exec_pages(void)
{
	return TASK_IS_TYPED ? bpf_get_current_task_btf()->mm->exec_vm
			     : BPF_CORE_READ(current_task(), mm, exec_vm);
}

/* A task's IDs in the recorder's PID namespace, or 0 if it is not visible there. */
struct ids {
	uint32_t tgid, tid;
};

enum { LEVELS_MAX = 32 }; /* MAX_PID_NS_LEVEL */

static __noinline uint32_t pid_nr_in_ns(struct pid *pid)
{
	uint32_t level = BPF_CORE_READ(pid, level);
	const char *numbers = (const char *)pid + bpf_core_field_offset(struct pid, numbers);

	for (uint32_t i = 1; i <= LEVELS_MAX && i <= level; i++) {
		struct upid *number = (void *)(numbers + i * bpf_core_type_size(struct upid));

		if (BPF_CORE_READ(number, ns, ns.inum) == PID_NS)
			return BPF_CORE_READ(number, nr);
	}
	return 0;
}

static __always_inline struct ids ids_of(struct task_struct *task)
{
	if (!PID_NS)
		return (struct ids){BPF_CORE_READ(task, tgid), BPF_CORE_READ(task, pid)};
	return (struct ids){pid_nr_in_ns(BPF_CORE_READ(task, group_leader, thread_pid)),
		pid_nr_in_ns(BPF_CORE_READ(task, thread_pid))};
}

/* Returns the IDs of the current task. */
static __always_inline struct ids my_ids(void)
{
	uint64_t id = bpf_get_current_pid_tgid();

	return PID_NS ? ids_of(current_task()) : (struct ids){id >> 32, (uint32_t)id};
}

#endif
