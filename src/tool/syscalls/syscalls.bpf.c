// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syscalls: takes stacks when threads begin system calls, and measures the time until they return.
 */
#include "syscalls.h"

#define SPANS_MAX CALLS_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* threads may end in a call */
#include "arch/x86_64/syscall_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"

static __always_inline struct span_key call_key(void)
{
	return (struct span_key){.id = (uint32_t)bpf_get_current_pid_tgid()};
}

/* Returns CALL_NUMBER with CALL_COMPAT of the call NUMBER. */
static __always_inline uint32_t call_of(uint64_t number, bool is_compat)
{
	uint64_t low = number & ~(uint64_t)SYSCALL_X32;

	return (low < CALL_NUMBER ? low : CALL_NUMBER) | (is_compat ? CALL_COMPAT : 0);
}

/* Takes the stacks of the current thread and begins its call. */
static __always_inline void begin_call(
	void *ctx, const void *regs, struct ids ids, uint32_t call, struct counters *count)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	struct span_key key = call_key();

	if (!s)
		return;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return;
	}
	take_task(s, ids);
	bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs);
	if (take_stacks(ctx, s, true, count)) {
		s->span.word[SPAN_CALL] = call;
		span_begin(s, &key, bpf_ktime_get_ns(), count);
	}
	release_scratch(s);
}

SEC("raw_tp/sys_enter")
int on_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct task_struct *task = current_task();
	struct ids ids = my_ids();

	if (!count || !is_target(task, ids) || bpf_ktime_get_ns() > control.until)
		return 0;
	bool is_compat = BPF_CORE_READ(task, thread_info.status) & STATUS_COMPAT;

	if (syscall_returns(ctx->args[1], is_compat))
		begin_call(ctx, (const void *)ctx->args[0], ids, call_of(ctx->args[1], is_compat),
			count);
	return 0;
}

/* Returns the error in the RESULT of CALL, or 0 if there is none. */
static __always_inline uint32_t error_of(uint32_t call, int64_t result)
{
	return result < 0 && result >= -CALL_ERROR_MAX &&
			       syscall_has_result(call & CALL_NUMBER, call & CALL_COMPAT)
		       ? -result
		       : 0;
}

SEC("raw_tp/sys_exit")
int on_return(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t now = bpf_ktime_get_ns();
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = call_key();
	struct span *span = span_find(&key);

	if (!span)
		return 0;
	uint32_t call = span->word[SPAN_CALL];

	if (count && now <= control.until && span->row.start == my_start() &&
		call_counts(&settings, elapsed(span->since, now))) {
		span->row.state =
			TOOL_VALUE(call | error_of(call, ctx->args[1]) << CALL_ERROR_SHIFT);
		add_time(&span->row, span->since, now, count);
	}
	span_drop(&key);
	return 0;
}
