/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of threads that wait already when the recording begins, as if their waits began at that
 * time. An iterator over all tasks finds them; user space reads their stacks.
 */
#ifndef ENGINE_BPF_KERN_WAITING_H
#define ENGINE_BPF_KERN_WAITING_H

#include "span.h"

/* Reads the user-mode registers of TASK, which is not running; see take_my_saved_regs(). */
static __always_inline bool take_regs_of(struct scratch *s, struct task_struct *task)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return take_saved_regs(s, task);
	return !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), (void *)bpf_task_pt_regs(task));
}

/*
 * Requests the user stack of TASK, which waits, for the row of s->span; user space reads the memory
 * of the process. Returns false if there is no room for the request.
 */
static __always_inline bool request_user(
	struct scratch *s, struct task_struct *task, struct counters *count)
{
	uint64_t none = no_user_stack(task->flags, task->mm, task->mm && task->mm->end_code);
	struct row_key *row = &s->span.row;
	bool have_regs = !none && take_regs_of(s, task);

	if (have_regs && is_kernels_own(s))
		none = STACK_NONE | NO_STACK_KERNEL_THREAD;
	if (none) {
		row->user = settings.kernel ? 0 : none;
		return true;
	}
	if (!have_regs)
		return true;
	row->user = copy_number(LANE_SCAN, count);
	begin_copy(s, LANE_SCAN, task, row->user, row->tgid, task->mm->exec_vm);
	s->copy.remote = true;
	return !bpf_ringbuf_output(&ring, &s->copy, sizeof(s->copy), 0);
}

/* Requests the interpreter's stack in the same way. */
static __always_inline bool request_vm(
	struct scratch *s, struct task_struct *task, struct counters *count)
{
	struct row_key *row = &s->span.row;
	struct ring_vm_thread thread = {RING_VM_THREAD, row->tgid, copy_number(LANE_SCAN, count),
		task->THREAD_POINTER, take_regs_of(s, task) ? regs_sp(&s->regs) : 0};

	row->vm = thread.copy;
	return !bpf_ringbuf_output(&ring, &thread, sizeof(thread), 0);
}

static __always_inline bool take_waiting_stacks(
	struct scratch *s, struct task_struct *task, bool kernel, struct counters *count)
{
	struct row_key *row = &s->span.row;
	uint32_t tgid = row->tgid;

	if (settings.user && !request_user(s, task, count))
		return false;
	if (recorded_vms() && (!settings.user || bpf_map_lookup_elem(&vm_layouts, &tgid)) &&
		!request_vm(s, task, count))
		return false;
	if (kernel && settings.kernel) {
		long bytes = bpf_get_task_stack(
			task, &s->frame[PAD], KERNEL_DEPTH * sizeof(uint64_t), 0);

		if (bytes > 0)
			row->kernel =
				store(LANE_SCAN, bytes / sizeof(uint64_t), NODE_ROOT | NODE_KERNEL);
	}
	return true;
}

/* Begins s->span for TASK, whose IDs are IDS. */
static __always_inline void begin_waiting(
	struct scratch *s, struct task_struct *task, struct ids ids)
{
	s->span = (struct span){.since = bpf_ktime_get_ns()};
	s->span.row.start = task->start_boottime;
	s->span.row.tid = ids.tid;
	s->span.row.tgid = ids.tgid;
	bpf_probe_read_kernel(s->span.row.comm, COMM_LEN, task->comm);
	if (records_labels()) {
		const struct label_layout *layout = bpf_map_lookup_elem(&label_layouts, &ids.tgid);

		if (layout)
			s->span.row.label_set = label_set_id(layout->kind, LABEL_EARLIER);
	}
}

/* Keeps s->span under KEY, unless the thread has begun another span meanwhile. */
static __always_inline void keep_span(
	struct scratch *s, const struct span_key *key, struct counters *count)
{
	if (bpf_map_update_elem(&spans, key, &s->span, BPF_NOEXIST) && !span_find(key))
		count->spans_full++;
}

/*
 * Takes the stacks of TASK for s->span and keeps it under KEY. Without KERNEL, the kernel stack is
 * not among them.
 */
static __always_inline void keep_waiting(struct scratch *s, struct task_struct *task,
	const struct span_key *key, bool kernel, struct counters *count)
{
	if (take_waiting_stacks(s, task, kernel, count))
		keep_span(s, key, count);
	else
		count->spans_full++;
}

#endif
