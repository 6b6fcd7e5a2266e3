/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes stacks when threads are switched out, and measures the time until they run again. A tool
 * without an option for states records all of them and also the time in which threads run: then
 * each thread has a span all the time, which is either a wait or, without stacks, a run. A program
 * that notes who wakes threads defines KEEPS_WAKERS as true before it includes this file; others
 * include woken_bpf.h.
 */
#ifndef TOOL_OFF_CPU_WAIT_SPANS_BPF_H
#define TOOL_OFF_CPU_WAIT_SPANS_BPF_H

#include "off_cpu.h"

#define SPANS_MAX WAITS_MAX
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/waiting.h"
#include "engine/bpf/kern/wakers.h"

#ifndef KEEPS_WAKERS
#define KEEPS_WAKERS false
#endif

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PREEMPTORS_MAX);
	__type(key, uint32_t); /* number */
	__type(value, struct preemptor);
} preemptors SEC(".maps");

enum { PREEMPTOR_PROBES = 8 };

/* Returns the number of the name of TASK, or 0 if there is no room for it. */
static __noinline uint32_t preemptor_number(struct task_struct *task)
{
	struct preemptor comm = {0};

	bpf_core_read(comm.comm, sizeof(comm.comm), &task->comm);
	uint64_t hash = (comm.word[0] * 31 ^ comm.word[1]) * 0x9e3779b97f4a7c15ULL;

	for (uint32_t i = 0; i < PREEMPTOR_PROBES; i++) {
		uint32_t number = ((hash >> 48) + i) % PREEMPTORS_MAX + 1;
		const struct preemptor *known = bpf_map_lookup_elem(&preemptors, &number);

		if (!known) {
			if (!bpf_map_update_elem(&preemptors, &number, &comm, BPF_NOEXIST))
				return number;
			known = bpf_map_lookup_elem(&preemptors, &number);
		}
		if (known && known->word[0] == comm.word[0] && known->word[1] == comm.word[1])
			return number;
	}
	return 0;
}

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

static __always_inline bool records_runs(void)
{
	return wait_counts_all(&settings);
}

/* Adds the part of a wait from SINCE to END to its row, if it is selected. */
static __always_inline void add_part(
	struct span *wait, uint64_t state, uint64_t since, uint64_t end, struct counters *count)
{
	if (!wait_counts(&settings, state, elapsed(since, end)))
		return;
	wait->row.state = wait_row_state(wait, state, false);
	wait->row.range = wait_range(&settings, elapsed(since, end));
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
		add_part(wait, wait_state(wait), wait->since, woken, count);
		add_part(wait, WAIT_W, woken, end, count);
	} else {
		add_part(wait, wait_state(wait), wait->since, end, count);
	}
}

/* Makes WAIT, whose parts have been added, the run of its thread from NOW on. */
static __always_inline void begin_run(struct span *wait, uint64_t now)
{
	wait->row.user = wait->row.kernel = wait->row.vm = wait->row.label_set = 0;
	wait->since = now;
	wait->word[WAIT_WOKEN] = 0;
	wait->word[WAIT_STATE] = WAIT_ON;
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

	if (!wait || wait_state(wait) >= WAIT_ON)
		return;
	add_parts(wait, now, count);
	if (records_runs())
		begin_run(wait, now);
	else if (KEEPS_WAKERS)
		keep_wakers(wait);
	else
		span_drop(&key);
}

/*
 * Ends WAIT of the current thread, which is switched out with a CPU time of CPU_NS, if the switch
 * back to the thread was not reported (seen on Linux 6.18). The wait then ended when the thread
 * began to run; it has run for as long as its CPU time has grown.
 */
static __always_inline void end_missed_wait(
	struct span *wait, uint64_t now, uint64_t cpu_ns, struct counters *count)
{
	uint64_t ran = cpu_ns - wait->word[WAIT_CPU];

	if (wait->row.start != my_start() || ran >= elapsed(wait->since, now))
		return;
	add_parts(wait, now - ran, count);
	if (records_runs())
		begin_run(wait, now - ran);
}

/* Ends what the current thread, which is switched out, has done since the last switch. */
static __always_inline void end_span(
	const struct span_key *key, uint64_t now, uint64_t cpu_ns, struct counters *count)
{
	struct span *span = span_find(key);

	if (!span || wait_state(span) == WAIT_NONE) /* only wakers are left of it */
		return;
	if (wait_state(span) < WAIT_ON)
		end_missed_wait(span, now, cpu_ns, count);
	if (records_runs() && wait_state(span) == WAIT_ON && span->row.start == my_start())
		add_part(span, WAIT_ON, span->since, now, count);
	span_drop(key);
}

/* Returns whether any part of a wait that begins in STATE may be recorded. */
static __always_inline bool wait_is_selected(uint32_t state)
{
	uint64_t parts = 1 << state | (state == WAIT_R ? 0 : 1 << WAIT_W);

	return state < WAIT_NONE && (records_runs() || settings.option[WAIT_OPTION_STATE] & parts);
}

/*
 * Begins a wait of the current thread, whose IDs are IDS. Where runs are recorded, a tick that is a
 * non-maskable interrupt must not use S meanwhile.
 */
static __always_inline void take_wait(void *ctx, struct scratch *s, struct ids ids, uint32_t state,
	uint64_t cpu_ns, uint64_t now, struct counters *count)
{
	struct span_key key = wait_key((uint32_t)bpf_get_current_pid_tgid());

	if (records_runs() && !claim_scratch(s)) {
		count->spans_lost++;
		return;
	}
	take_task(s, ids);
	if (take_stacks(ctx, s, false, count)) {
		s->span.word[WAIT_WOKEN] = 0;
		s->span.word[WAIT_CPU] = cpu_ns;
		s->span.word[WAIT_STATE] = state;
		if (KEEPS_WAKERS)
			__builtin_memset(s->span.wakers, 0, sizeof(s->span.wakers));
		span_begin(s, &key, now, count);
	}
	if (records_runs())
		release_scratch(s);
}

/* Begins a wait of the current thread, instead of which NEXT runs. */
static __always_inline void begin_wait(
	void *ctx, uint32_t state, struct task_struct *next, uint64_t now, struct counters *count)
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

	end_span(&key, now, cpu_ns, count);
	if (!wait_is_selected(state))
		return;
	count->hits++;
	if (state == WAIT_R)
		state |= preemptor_number(next) << WAIT_BY_SHIFT;
	take_wait(ctx, s, ids, state, cpu_ns, now, count);
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
	uint32_t state = settings.state_arg ? ctx->args[3] : state_of(prev);

	begin_wait(ctx, wait_of(ctx->args[0], state), next, now, count);
	end_wait(BPF_CORE_READ(next, pid), now, count);
	return 0;
}

/* Returns what TASK, another one, does now, or WAIT_NONE if that is not recorded. */
static __always_inline uint32_t doing_of(struct task_struct *task)
{
	uint32_t state = task->on_cpu ? WAIT_ON : wait_of(false, state_of(task));

	if (!records_runs() && (state == WAIT_ON || state == WAIT_R))
		return WAIT_NONE;
	return state;
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
	uint32_t state = doing_of(task);

	if (!is_target(task, ids) || !wait_is_selected(state))
		return 0;
	begin_waiting(s, task, ids);
	s->span.word[WAIT_CPU] = task->se.sum_exec_runtime;
	s->span.word[WAIT_STATE] = state | (state == WAIT_ON ? 0 : WAIT_EARLIER);
	if (state == WAIT_ON)
		keep_span(s, &key, count);
	else
		keep_waiting(s, task, &key, true, count);
	return 0;
}

#endif
