/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits of threads, from when they are switched out until they run again. A program that notes who
 * wakes threads defines KEEPS_WAKERS as true before it includes this file.
 */
#ifndef TOOL_OFF_CPU_WAIT_PARTS_BPF_H
#define TOOL_OFF_CPU_WAIT_PARTS_BPF_H

#include "off_cpu.h"

#include "engine/bpf/kern/waiting.h"
#include "engine/bpf/kern/wakers.h"

#ifndef KEEPS_WAKERS
#define KEEPS_WAKERS false
#endif

/* Returns the key of a thread's wait. TID is in the initial PID namespace. */
static __always_inline struct span_key wait_key(uint32_t tid)
{
	return (struct span_key){.id = tid};
}

static __always_inline uint32_t state_of(struct task_struct *task)
{
	struct task_struct___before_5_14 *old = (void *)task;

	return bpf_core_field_exists(task->__state) ? BPF_CORE_READ(task, __state)
						    : BPF_CORE_READ(old, state);
}

/* Returns the state of the wait of a thread that is switched out with STATE in its task_struct. */
static __always_inline uint32_t wait_of(bool preempted, uint32_t state)
{
	if (preempted || !state)
		return WAIT_R;
	if (state & 0x400 && state & 0x2) /* TASK_NOLOAD */
		return WAIT_I;
	return state & 0x1    ? WAIT_S
	       : state & 0x2  ? WAIT_D
	       : state & 0x4  ? WAIT_T
	       : state & 0x8  ? WAIT_TRACED
	       : state & 0x40 ? WAIT_P
			      : WAIT_NONE; /* the thread has ended */
}

/* Adds the part of a wait from SINCE to END to its row, if it is selected. */
static __always_inline void add_part(
	struct span *wait, uint64_t state, uint64_t since, uint64_t end, struct counters *count)
{
	if (!wait_counts(&settings, state, end - since))
		return;
	wait->row.state = TOOL_STATE(state);
	add_time(&wait->row, since, end, count);
}

/* Adds the parts of WAIT, whose thread runs again at END. */
static __always_inline void add_parts(struct span *wait, uint64_t end, struct counters *count)
{
	uint64_t woken = wait->word[WAIT_WOKEN];
	struct scratch *s = my_scratch(LANE_EVENT);

	if (KEEPS_WAKERS && s)
		wait->row.waker = wakers_number(wait, s);
	if (woken > wait->since && woken < end) {
		add_part(wait, wait->word[WAIT_STATE], wait->since, woken, count);
		add_part(wait, WAIT_W, woken, end, count);
	} else {
		add_part(wait, wait->word[WAIT_STATE], wait->since, end, count);
	}
}

/* Leaves of WAIT, which has ended, only the wakers of the thread, which may now wake others. */
static __always_inline void keep_wakers(struct span *wait)
{
	wait->row.user = wait->row.kernel = wait->row.vm = wait->row.waker = 0;
	wait->word[WAIT_STATE] = WAIT_NONE;
}

/* Ends the wait of thread TID, which runs again. */
static __always_inline void end_wait(uint32_t tid, uint64_t now, struct counters *count)
{
	struct span_key key = wait_key(tid);
	struct span *wait = span_find(&key);

	if (!wait || wait->word[WAIT_STATE] == WAIT_NONE)
		return;
	add_parts(wait, now, count);
	if (KEEPS_WAKERS)
		keep_wakers(wait);
	else
		span_drop(&key);
}

/*
 * Ends a wait of the current thread, which is switched out with a CPU time of CPU_NS, if the switch
 * back to the thread was not reported (seen on Linux 6.18). The wait then ended when the thread
 * began to run; it has run for as long as its CPU time has grown.
 */
static __always_inline void end_missed_wait(
	const struct span_key *key, uint64_t now, uint64_t cpu_ns, struct counters *count)
{
	struct span *wait = span_find(key);

	if (!wait || wait->word[WAIT_STATE] == WAIT_NONE)
		return;
	uint64_t ran = cpu_ns - wait->word[WAIT_CPU];

	if (wait->row.start == my_start() && ran < now - wait->since)
		add_parts(wait, now - ran, count);
	span_drop(key);
}

/* Returns whether any part of a wait that begins in STATE may be recorded. */
static __always_inline bool wait_is_selected(uint32_t state)
{
	return state < WAIT_NONE && settings.option[WAIT_OPTION_STATE] &
					    (1 << state | (state == WAIT_R ? 0 : 1 << WAIT_W));
}

static __always_inline void begin_wait(
	void *ctx, uint32_t state, uint64_t now, struct counters *count)
{
	struct ids ids = my_ids();
	uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	struct scratch *s = my_scratch(LANE_EVENT);
	struct span_key key = wait_key(tid);

	if (KEEPS_WAKERS && state == WAIT_NONE)
		span_drop(&key);
	if (!s || !tid || !is_target(current_task(), ids))
		return;
	uint64_t cpu_ns = BPF_CORE_READ(current_task(), se.sum_exec_runtime);

	end_missed_wait(&key, now, cpu_ns, count);
	if (!wait_is_selected(state))
		return;
	count->hits++;
	take_task(s, ids);
	if (!take_stacks(ctx, s, false, count))
		return;
	s->span.word[WAIT_WOKEN] = 0;
	s->span.word[WAIT_CPU] = cpu_ns;
	s->span.word[WAIT_STATE] = state;
	__builtin_memset(s->span.wakers, 0, sizeof(s->span.wakers));
	span_begin(s, &key, now, count);
}

SEC("raw_tp/sched_switch")
int on_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *prev = (void *)ctx->args[1], *next = (void *)ctx->args[2];
	struct counters *count = my_counters(LANE_EVENT);
	uint64_t now = bpf_ktime_get_ns();

	if (!count || now > control.until)
		return 0;
	/* the field may have changed since, so the argument is used if there is one */
	begin_wait(ctx, wait_of(ctx->args[0], settings.state_arg ? ctx->args[3] : state_of(prev)),
		now, count);
	end_wait(BPF_CORE_READ(next, pid), now, count);
	return 0;
}

/* Adds the threads that wait already at the start, as if their waits began at that time. */
SEC("iter/task")
int scan_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct counters *count = my_counters(LANE_SCAN);
	struct scratch *s = my_scratch(LANE_SCAN);

	if (!task || !s || !count)
		return 0;
	struct ids ids = ids_of(task);
	struct span_key key = wait_key(task->pid);
	uint32_t state = wait_of(false, state_of(task));

	if (task->on_cpu || state == WAIT_R || !is_target(task, ids) || !wait_is_selected(state))
		return 0;
	begin_waiting(s, task, ids);
	s->span.word[WAIT_CPU] = task->se.sum_exec_runtime;
	s->span.word[WAIT_STATE] = state;
	keep_waiting(s, task, &key, count);
	return 0;
}

#endif
