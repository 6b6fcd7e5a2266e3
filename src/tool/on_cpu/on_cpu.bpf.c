// SPDX-License-Identifier: GPL-2.0-or-later
/* on-cpu: takes stacks at each tick. */
#define EQUAL_SAMPLES true
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/ticks.h"

/*
 * Returns the idle task of this processor, or 0 if it is not known, as without
 * CONFIG_FAIR_GROUP_SCHED. Ticks may never hit the idle task itself, so it is read from the run
 * queue of the current task, whatever the class of that task.
 */
static __always_inline uint64_t idle_task(void)
{
	struct task_struct *task = current_task();

	if (!(uint32_t)bpf_get_current_pid_tgid())
		return (uint64_t)task;
	if (!bpf_core_field_exists(task->se.cfs_rq) ||
		!bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return 0;
	return (uint64_t)BPF_CORE_READ(task, se.cfs_rq, rq, idle);
}

/*
 * Returns whether the idle task of this processor has run since the last tick. The clock of a
 * sleeping processor may stand still, so the ticks that it misses then are not time of a target.
 */
static __always_inline bool was_idle(struct counters *count)
{
	if (!count->idle_task)
		count->idle_task = idle_task();
	struct task_struct *task = (struct task_struct *)count->idle_task;

	if (!task)
		return false;
	uint64_t ended = BPF_CORE_READ(task, nivcsw);
	bool ran = ended != count->idle_ended;

	count->idle_ended = ended;
	return ran;
}

SEC("perf_event")
int on_tick(struct bpf_perf_event_data *ctx)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct ids ids = my_ids();
	bool in_user = regs_are_user(&ctx->regs);
	struct scratch *s = my_scratch(LANE_EVENT);

	if (!count || !s)
		return 0;
	count->ticks++;
	uint64_t now = bpf_ktime_get_ns();
	int64_t missed = ticks_missed(&count->tick_at, now, settings.tick_ns);

	if (!settings.idle && was_idle(count) && missed > 0)
		missed = 0;

	if (!is_target(current_task(), ids) || (in_user && !settings.user && !recorded_vms()))
		return 0;
	if (now > control.until)
		return 0;
	count->hits++;
	count->missed += missed;
	take_task(s, ids);
	if (in_user)
		regs_take(&s->regs, &ctx->regs);
	if (take_stacks(ctx, s, in_user, count)) {
		uint64_t nr = 1 + take_delayed(s);

		add_row(&s->row, nr, nr, count);
	}
	return 0;
}
