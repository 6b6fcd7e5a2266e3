// SPDX-License-Identifier: GPL-2.0-or-later
/* off-cpu: stacks at which threads are switched out, and the time until they run again. */
#define EQUAL_SAMPLES false
#include "core.h"
#include "ends.h"
#include "processes.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAITS_MAX);
	__type(key, uint32_t); /* TID in the initial PID namespace */
	__type(value, struct wait);
} waits SEC(".maps");

static __always_inline uint32_t state_of(struct task_struct *task)
{
	struct task_struct___before_5_14 *old = (void *)task;

	return bpf_core_field_exists(task->__state) ? BPF_CORE_READ(task, __state)
						    : BPF_CORE_READ(old, state);
}

/* The wait of a thread that is switched out with this state in task_struct. */
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
			      : WAIT_NONE; /* it has ended */
}

/* Adds a part of a wait to its row, if it is selected. */
static __always_inline void add_wait(
	struct wait *w, uint32_t state, uint64_t ns, struct counters *count)
{
	if (!wait_counts(&settings, state, ns))
		return;
	w->key.labels = WAIT_LABEL(state);
	add_row(&w->key, 1, ns, count);
}

/* The thread of W runs since END. */
static __always_inline void add_parts(struct wait *w, uint64_t end, struct counters *count)
{
	if (w->woken > w->since && w->woken < end) {
		add_wait(w, w->state, w->woken - w->since, count);
		add_wait(w, WAIT_W, end - w->woken, count);
	} else {
		add_wait(w, w->state, end - w->since, count);
	}
}

/* Thread TID runs again. */
static __always_inline void end_wait(uint32_t tid, uint64_t now, struct counters *count)
{
	struct wait *w = bpf_map_lookup_elem(&waits, &tid);

	if (!w)
		return;
	add_parts(w, now, count);
	bpf_map_delete_elem(&waits, &tid);
}

/*
 * The current thread TID is switched out, its CPU time is CPU_NS. If its last wait has not ended,
 * the switch back to it was not reported (seen on Linux 6.18): it ran for as long as its CPU time
 * has grown.
 */
static __always_inline void end_missed_wait(
	uint32_t tid, uint64_t now, uint64_t cpu_ns, struct counters *count)
{
	struct wait *w = bpf_map_lookup_elem(&waits, &tid);

	if (!w)
		return;
	if (w->key.start == my_start() && cpu_ns - w->cpu_ns < now - w->since)
		add_parts(w, now - (cpu_ns - w->cpu_ns), count);
	bpf_map_delete_elem(&waits, &tid);
}

/* True if a part of a wait that begins in STATE may be recorded. */
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

	if (!s || !tid || !is_target(current_task(), ids))
		return;
	uint64_t cpu_ns = BPF_CORE_READ(current_task(), se.sum_exec_runtime);

	end_missed_wait(tid, now, cpu_ns, count);
	if (!wait_is_selected(state))
		return;
	count->hits++;
	take_task(s, ids);
	if (!take_stacks(ctx, s, false, count))
		return;
	s->wait.key = s->row;
	s->wait.since = now;
	s->wait.woken = 0;
	s->wait.cpu_ns = cpu_ns;
	s->wait.state = state;
	if (bpf_map_update_elem(&waits, &tid, &s->wait, BPF_ANY))
		count->waits_full++;
}

SEC("raw_tp/sched_switch")
int on_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *prev = (void *)ctx->args[1], *next = (void *)ctx->args[2];
	struct counters *count = my_counters(LANE_EVENT);
	uint64_t now = bpf_ktime_get_ns();

	if (!count || now > control.until)
		return 0;
	/* if it is an argument, the field may have changed by now */
	begin_wait(ctx, wait_of(ctx->args[0], settings.state_arg ? ctx->args[3] : state_of(prev)),
		now, count);
	end_wait(BPF_CORE_READ(next, pid), now, count);
	return 0;
}

SEC("raw_tp/sched_wakeup")
int on_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tid = BPF_CORE_READ((struct task_struct *)ctx->args[0], pid);
	struct wait *w = bpf_map_lookup_elem(&waits, &tid);

	if (w && !w->woken && w->state != WAIT_R)
		w->woken = bpf_ktime_get_ns();
	return 0;
}

/* Reads the user-mode registers of a TASK that is not running; see take_my_saved_regs(). */
static __always_inline bool take_regs_of(struct scratch *s, struct task_struct *task)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return take_saved_regs(s, task);
	return !bpf_probe_read_kernel(&s->regs, sizeof(s->regs), (void *)bpf_task_pt_regs(task));
}

/*
 * Adds the threads that already wait at the start, as if they began now; their memory is read from
 * user space.
 */
SEC("iter/task")
int scan_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct counters *count = my_counters(LANE_SCAN);
	struct scratch *s = my_scratch(LANE_SCAN);

	if (!task || !s || !count)
		return 0;
	struct ids ids = ids_of(task);
	uint32_t tid = task->pid;
	uint32_t state = wait_of(false, state_of(task));
	bool have_regs = false;
	uint64_t none = 0;

	if (task->on_cpu || state == WAIT_R || !is_target(task, ids) || !wait_is_selected(state))
		return 0;
	s->wait = (struct wait){
		.since = bpf_ktime_get_ns(), .cpu_ns = task->se.sum_exec_runtime, .state = state};
	s->wait.key.start = task->start_boottime;
	s->wait.key.tid = ids.tid;
	s->wait.key.tgid = ids.tgid;
	bpf_probe_read_kernel(s->wait.key.comm, COMM_LEN, task->comm);
	if (settings.label_keys && bpf_map_lookup_elem(&label_layouts, &ids.tgid))
		s->wait.key.label = LABEL_EARLIER;
	if (settings.user) {
		none = no_user_stack(task->flags, task->mm, task->mm && task->mm->end_code);
		have_regs = !none && take_regs_of(s, task);
		if (have_regs && is_kernels_own(s))
			none = STACK_NONE | NO_STACK_KERNEL_THREAD;
	}
	if (none) {
		s->wait.key.user = settings.kernel ? 0 : none;
	} else if (have_regs) {
		s->wait.key.user = copy_number(LANE_SCAN, count);
		begin_copy(s, LANE_SCAN, task, s->wait.key.user, ids.tgid, task->mm->exec_vm);
		s->copy.remote = true;
		if (bpf_ringbuf_output(&ring, &s->copy, sizeof(s->copy), 0))
			goto full;
	}
	if (settings.vm && (!settings.user || bpf_map_lookup_elem(&vm_layouts, &ids.tgid))) {
		struct ring_vm_thread thread = {RING_VM_THREAD, ids.tgid,
			copy_number(LANE_SCAN, count), task->thread.fsbase,
			take_regs_of(s, task) ? s->regs.sp : 0};

		s->wait.key.vm = thread.copy;
		if (bpf_ringbuf_output(&ring, &thread, sizeof(thread), 0))
			goto full;
	}
	if (settings.kernel) {
		long bytes = bpf_get_task_stack(
			task, &s->frame[PAD], KERNEL_DEPTH * sizeof(uint64_t), 0);

		if (bytes > 0)
			s->wait.key.kernel = store(
				s, LANE_SCAN, bytes / sizeof(uint64_t), NODE_ROOT | NODE_KERNEL);
	}
	if (!bpf_map_update_elem(&waits, &tid, &s->wait, BPF_NOEXIST) ||
		bpf_map_lookup_elem(&waits, &tid)) /* it began another wait meanwhile */
		return 0;
full:
	count->waits_full++;
	return 0;
}
