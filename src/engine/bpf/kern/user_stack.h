/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the user stack of the current task, or what of it is needed otherwise. */
#ifndef ENGINE_BPF_KERN_USER_STACK_H
#define ENGINE_BPF_KERN_USER_STACK_H

#include "copies.h"
#include "native_walk.h"
#include "stack_store.h"

#include "label/label_bpf.h"

#ifndef EQUAL_SAMPLES
#define EQUAL_SAMPLES false
#endif

/*
 * Adds the next frames of the current task and searches them for labels. Returns 0 if there are
 * more.
 */
static __always_inline int walk_frames(void)
{
	int end = take_frames(LANE_EVENT);

	if (records_labels())
		search_label(LANE_EVENT);
	return end;
}

/* Adds the next LONG_STRIDE frames in this way. Returns 0 if there are more. */
__noinline int walk_long_stride(void)
{
	for (int i = 0; i < LONG_STRIDE / STRIDE; i++)
		if (walk_frames())
			return 1;
	return 0;
}

/* Returns whether the executable mappings are unchanged since user space read them. */
static __always_inline bool space_is_current(const struct space *space, uint64_t exec_pages)
{
	return space->unchecked || space->exec_pages == exec_pages;
}

/*
 * Returns whether one executable page was mapped since user space read SPACE. The kernel does this
 * at the first hit of a probe in a program, whose own mappings are all known then.
 */
static __always_inline bool space_lacks_page(const struct space *space, uint64_t exec_pages)
{
	return space->exec_pages + 1 == exec_pages;
}

enum { TASK_EXITING = 0x4, TASK_KERNEL_THREAD = 0x200000 }; /* see PF_… in linux/sched.h */

/*
 * Returns the value that replaces the number of a task's user stack if the task has none, or 0 if
 * it has one. The arguments describe the task: its FLAGS, whether it has MEMORY, and whether its
 * program has STARTED; see tasks.h.
 */
static __always_inline uint64_t no_user_stack(uint32_t flags, bool memory, bool started)
{
	if (flags & TASK_KERNEL_THREAD)
		return STACK_NONE | NO_STACK_KERNEL_THREAD;
	if (!memory)
		return STACK_NONE |
		       (flags & TASK_EXITING ? NO_STACK_EXITING : NO_STACK_KERNEL_THREAD);
	/* the memory of the old program is gone, and the new program's registers are not yet set */
	return started ? 0 : STACK_NONE | NO_STACK_EXECVE;
}

/* Ends the walk over the user stack. Returns 0 if not all of its frames are known here. */
__noinline int finish_walk(uint32_t lane)
{
	struct scratch *s = my_scratch(lane);

	if (!s || !s->walk.nr)
		return 0;
	walk_finish(&s->walk);
	if (s->is_current)
		return s->walk.end != WALK_PENDING;
	return s->walk.end == WALK_ROOT || s->walk.end == WALK_COROUTINE;
}

/*
 * Returns the number of the user stack with the registers s->regs, or 0 if there is no room or the
 * tick was delayed.
 */
static __always_inline uint64_t user_stack(struct scratch *s, struct counters *count)
{
	uint64_t exec_pages = my_exec_pages();
	uint32_t tgid = s->row.tgid, nr;
	const struct space *space = bpf_map_lookup_elem(&spaces, &tgid);

	/* kept in memory, or else the verifier checks the following code once for each value */
	s->is_current = space && space_is_current(space, exec_pages);
	s->lacks_page = space && space_lacks_page(space, exec_pages);
	take_regs(s, LANE_EVENT);
	/* a walk by old mappings counts only if it is whole */
	if (space && (s->is_current || s->lacks_page || restless_layout(s))) {
		s->space = *space;
		for (int i = 0; i <= WALK_DEPTH / LONG_STRIDE; i++)
			if (walk_long_stride())
				break;
		if (finish_walk(LANE_EVENT))
			return store(LANE_EVENT, s->walk.nr, NODE_ROOT | s->walk.end);
	}
	nr = s->walk.nr;
	s->row.user = 0;
	if (!EQUAL_SAMPLES || may_copy(tgid))
		copy_stack(LANE_EVENT);
	if (s->row.user)
		return s->row.user;
	count->copies_lost++;
	s->delayed = EQUAL_SAMPLES && delay(s, count);
	if (s->delayed)
		return 0;
	if (!nr)
		s->frame[PAD] = walk_frame(NULL, regs_pc(&s->regs), false);
	return store(LANE_EVENT, nr ? nr : 1, NODE_ROOT | WALK_BUSY); /* the frames so far */
}

/*
 * Reads the user-mode registers, which the kernel saves at the end of the task's stack on entry
 * (task_pt_regs()). Kernels without the helper
 * bpf_task_pt_regs() have them at the very end. Returns false if something else is there.
 */
static __always_inline bool take_saved_regs(struct scratch *s, struct task_struct *task)
{
	const void *at = (char *)BPF_CORE_READ(task, stack) + THREAD_SIZE - sizeof(s->regs);

	return !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), at) && regs_are_saved(&s->regs);
}

/* Reads the user-mode registers of the current task. */
static __always_inline bool take_my_saved_regs(struct scratch *s)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return take_saved_regs(s, current_task());
	return !bpf_probe_read_kernel(
		&s->regs, sizeof(s->regs), (void *)bpf_task_pt_regs(bpf_get_current_task_btf()));
}

/*
 * Returns whether a thread that shares a process's memory never runs in user mode, because the
 * kernel has created it for its own use (io_uring, vhost). copy_thread() has then cleared its
 * registers.
 */
static __always_inline bool is_kernels_own(const struct scratch *s)
{
	return !regs_pc(&s->regs) && !regs_sp(&s->regs);
}

enum { USER_UNKNOWN, USER_REGS, USER_NONE };

/*
 * Reads the user-mode registers of the current task, which is in the kernel. Returns USER_REGS, or
 * USER_NONE + enum no_stack if it has no user stack. Not inlined, see take_probes().
 */
__noinline int look_at_user(uint32_t lane)
{
	uint64_t none = no_user_stack(my_flags(), have_memory(), program_has_started());
	struct scratch *s = my_scratch(lane);

	if (none)
		return USER_NONE + (int)(none & 3);
	if (!s || !take_my_saved_regs(s))
		return USER_UNKNOWN;
	return is_kernels_own(s) ? USER_NONE + NO_STACK_KERNEL_THREAD : USER_REGS;
}

/* Begins walk_to_vm(). Returns 0 if the process is not known. */
__noinline int begin_to_vm(uint32_t lane, uint32_t in_user)
{
	struct scratch *s = my_scratch(lane);

	if (!s)
		return 0;
	uint32_t tgid = s->row.tgid;
	const struct space *space = bpf_map_lookup_elem(&spaces, &tgid);

	s->walk.vm = (struct walk_vm){0};
	s->walk.end = WALK_PENDING;
	if ((!in_user && !take_my_saved_regs(s)) || !space)
		return 0;
	take_regs(s, lane);
	s->space = *space;
	return 1;
}

/*
 * Walks the user stack up to the innermost frame of an interpreter, without storing it. The
 * mappings need not be current: files are identified by their build-ids, and a pc outside of the
 * mappings may be in new code, whose frame is checked.
 */
static __always_inline void walk_to_vm(struct scratch *s, bool in_user)
{
	if (!begin_to_vm(LANE_EVENT, in_user))
		return;
	s->to_vm = true;
	s->walk.vm.stop = !records_labels(); /* labels are searched for in the other frames */
	for (int i = 0; i < VM_NATIVE_DEPTH / LONG_STRIDE; i++)
		if (walk_long_stride())
			break;
	s->to_vm = s->walk.vm.stop = false;
}

#endif
