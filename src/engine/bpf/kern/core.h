/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common to all programs: selects tasks, takes stacks and adds rows. A program whose stacks each
 * count 1, so that a thread's next stacks can count for stacks that could not be taken, defines
 * EQUAL_SAMPLES as true before it includes this file.
 */
#ifndef ENGINE_BPF_KERN_CORE_H
#define ENGINE_BPF_KERN_CORE_H

#include "select.h"
#include "slices.h"
#include "user_stack.h"

#include "runtime/vm_bpf.h"

/*
 * Looks for labels in the registers, and begins another walk if there was none or the stack was
 * copied, as the mappings need not be current for labels. Returns 1 if the walk has to go on.
 */
__noinline int begin_label_walk(uint32_t lane, uint32_t in_user)
{
	struct scratch *s = label_scratch(lane);

	if (!s || !s->label.on)
		return 0;
	if (s->walk.end == WALK_PENDING && !settings.user)
		begin_to_vm(lane, in_user);
	if (!s->label.leaf)
		search_label(lane);
	if (s->label.searching && settings.user && s->row.user & STACK_COPY)
		begin_to_vm(lane, in_user);
	return s->label.searching && s->walk.end == WALK_ON;
}

/* Sets s->row.label_set to the labels that were found. */
__noinline int end_label_walk(uint32_t lane)
{
	struct scratch *s = label_scratch(lane);

	if (!s || !s->label.on)
		return 0;
	if (s->label.found)
		s->row.label_set = label_of_owner(lane);
	else if (!s->label.searching || s->walk.end == WALK_ROOT)
		s->row.label_set = label_set_id(s->label.layout.kind, s->label.place);
	return 0;
}

/*
 * Sets s->row.label_set. Goes on with the walk if it has not reached the request or other owner of
 * the sample.
 */
static __always_inline void take_label(bool in_user)
{
	if (begin_label_walk(LANE_EVENT, in_user))
		for (int i = 0; i <= WALK_DEPTH / STRIDE; i++) {
			int end = take_frames(LANE_EVENT);

			if (!search_label(LANE_EVENT) || end)
				break;
		}
	end_label_walk(LANE_EVENT);
}

/* CTX is the program's, or NULL if the kernel takes the stack from here, with the program's frames.
 */
static __always_inline uint64_t kernel_stack(void *ctx, struct scratch *s)
{
	const uint32_t size = KERNEL_DEPTH * sizeof(uint64_t);
	/* older kernels do not know the other helper, and must not see its call */
	long bytes = ctx || !TASK_IS_TYPED ? bpf_get_stack(ctx, &s->frame[PAD], size, 0)
					   : bpf_get_task_stack(bpf_get_current_task_btf(),
						     &s->frame[PAD], size, 0);

	return bytes > 0 ? store(LANE_EVENT, bytes / sizeof(uint64_t), NODE_ROOT | NODE_KERNEL) : 0;
}

/*
 * Takes all stacks of the current task into s->row. Returns false if there is no room or the tick
 * was delayed (s->delayed). IN_USER tells that s->regs is set.
 */
static __always_inline bool take_stacks(
	void *ctx, struct scratch *s, bool in_user, struct counters *count)
{
	int user = in_user ? USER_REGS : USER_UNKNOWN;
	uint64_t none = 0;

	s->delayed = false;
	s->walk.vm = (struct walk_vm){0};
	s->walk.end = WALK_PENDING;
	if (records_labels())
		begin_label(LANE_EVENT);
	if (settings.user && !in_user)
		user = look_at_user(LANE_EVENT);
	if (user >= USER_NONE)
		none = STACK_NONE | (uint32_t)(user - USER_NONE);
	if (none) {
		s->row.user = settings.kernel ? 0 : none; /* the kernel stack alone is complete */
	} else if (settings.user && user == USER_REGS) {
		s->row.user = user_stack(s, count);
		if (!s->row.user)
			goto full;
	}
	if (settings.kernel && !in_user) {
		s->row.kernel = kernel_stack(ctx, s);
		if (!s->row.kernel)
			goto full;
	}
	if (recorded_vms() && !none && !vm_stack(s, in_user))
		goto full;
	if (records_labels() && !none)
		take_label(in_user);
	return true;
full:
	if (!s->delayed)
		count->nodes_full++;
	return false;
}

/* Adds NR events with the sum SUM to the row of KEY. */
static __always_inline void add_row(
	const struct row_key *key, uint64_t nr, uint64_t sum, struct counters *count)
{
	uint32_t which = control.epoch & 1;
	void *map = bpf_map_lookup_elem(&rows, &which);
	struct row_value first = {nr, sum};

	if (!map)
		return;
	struct row_value *known = bpf_map_lookup_elem(map, key);

	if (!known) {
		long error = bpf_map_update_elem(map, key, &first, BPF_NOEXIST);

		if (!error) {
			count->rows++;
			return;
		}
		known = bpf_map_lookup_elem(map, key);
		if (!known) {
			count->rows_full += nr;
			return;
		}
	}
	/* relaxed, because clang 23 emits an instruction that needs Linux 5.12 for other orders */
	__atomic_fetch_add(&known->count, nr, __ATOMIC_RELAXED);
	if (sum) /* clang 14 has no instruction for adding a constant 0 */
		__atomic_fetch_add(&known->sum, sum, __ATOMIC_RELAXED);
}

static __always_inline struct slices my_slices(void)
{
	return (struct slices){control.since, settings.slice_ns};
}

/*
 * Returns the nanoseconds from SINCE to END, or 0 if SINCE is later: another processor may have
 * begun a span, as scan_waits() does, after this one has read the time.
 */
static __always_inline uint64_t elapsed(uint64_t since, uint64_t end)
{
	return end > since ? end - since : 0;
}

/*
 * Adds one event, which took the time from SINCE to END, to the row of KEY. Its time is shared out
 * over the slices that it covers; it counts in the last one. Changes the slice of KEY.
 */
static __always_inline void add_time(
	struct row_key *key, uint64_t since, uint64_t end, struct counters *count)
{
	end = since + elapsed(since, end);
	for (int i = 0; i < SLICE_PARTS_MAX; i++) {
		struct slice_part part = slice_next(my_slices(), &since, end);

		key->slice = part.slice;
		key->more = part.more;
		add_row(key, part.is_last, part.ns, count);
		if (part.is_last)
			break;
	}
	key->more = 0;
}

/* Sets s->row to the current task, whose IDs are IDS, without stacks. */
static __always_inline void take_task(struct scratch *s, struct ids ids)
{
	s->row.start = my_start();
	s->row.tid = ids.tid;
	s->row.tgid = ids.tgid;
	s->row.user = s->row.kernel = s->row.vm = s->row.waker = 0;
	s->row.state = s->row.more = s->row.range = 0;
	s->row.slice = settings.slice_ns ? slice_at(my_slices(), bpf_ktime_get_ns()) : 0;
	s->row.event = ROW_SAMPLES;
	s->row.op = 0;
	s->row.label_set = 0;
	bpf_get_current_comm(s->row.comm, sizeof(s->row.comm));
}

#endif
