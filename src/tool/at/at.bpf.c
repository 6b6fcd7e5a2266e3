// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * at: takes a stack at each hit of the probe points that the user gives, and adds 1, a value or the
 * time of the call. There is one program for each kind of probe. It is told by its cookie at which
 * probe point it runs.
 */
#include "at.h"

#define SPANS_MAX AT_CALLS_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* some calls never return */
#include "arch/x86_64/arguments.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"
#include "lib/log_scale.h"
#include "at_place_bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AT_POINTS_MAX);
	__type(key, uint32_t);
	__type(value, struct at_point);
} at_points SEC(".maps");

/* By the number of a system call: a bit for each probe point that takes it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AT_SYSCALLS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} at_syscalls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct at_counts);
} at_counts SEC(".maps");

enum { SYSCALL_NUMBER_AT = 8 }; /* in the records of raw_syscalls */

/* A hit of a probe point. */
struct hit {
	const struct at_point *point;
	struct counters *count;
	uint32_t call; /* tells probe points and functions apart, see call_key() */
};

/*
 * Returns the cookie: what is done here, plus a number of the function if calls are measured.
 * Before Linux 5.15 it is 0 at all places.
 */
static __always_inline uint64_t cookie_of(void *ctx)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_attach_cookie))
		return 0;
	return bpf_get_attach_cookie(ctx);
}

/* Returns false if the event is not recorded. */
static __always_inline bool begin_hit_of(uint64_t cookie, struct hit *h)
{
	uint32_t number = cookie % AT_POINTS_MAX;

	h->point = bpf_map_lookup_elem(&at_points, &number);
	h->count = my_counters(LANE_EVENT);
	if (!h->point)
		return false;
	h->call = h->point->probe | cookie / AT_POINTS_MAX << 4;
	return h->count && bpf_ktime_get_ns() <= control.until;
}

static __always_inline bool begin_hit(void *ctx, struct hit *h)
{
	return begin_hit_of(cookie_of(ctx), h);
}

enum at_count { COUNT_NEGATIVE, COUNT_UNREAD, COUNT_BEGUN, COUNT_ENDED };

/* Here and below, functions of their own keep what they need off the programs' stack, which is
 * small. */
static __noinline int count_one(enum at_count which)
{
	uint32_t zero = 0;
	struct at_counts *counts = bpf_map_lookup_elem(&at_counts, &zero);

	if (counts)
		__atomic_fetch_add(which == COUNT_NEGATIVE ? &counts->negative
				   : which == COUNT_UNREAD ? &counts->unread
				   : which == COUNT_BEGUN  ? &counts->begun
							   : &counts->ended,
			1, __ATOMIC_RELAXED);
	return 0;
}

/* Returns 0 if the number at PLACE cannot be read. */
static __noinline int read_number(const void *ctx, const struct at_place *place, int64_t *number)
{
	if (at_read_place(ctx, place, number))
		return 1;
	count_one(COUNT_UNREAD);
	return 0;
}

/* Returns whether NUMBER compares to the constant as it should. */
static __always_inline bool compares(int64_t number, const struct at_point *point)
{
	switch (point->compare) {
	case COMPARE_EQUAL:
		return number == point->constant;
	case COMPARE_NOT_EQUAL:
		return number != point->constant;
	case COMPARE_LESS:
		return number < point->constant;
	case COMPARE_LESS_EQUAL:
		return number <= point->constant;
	case COMPARE_GREATER:
		return number > point->constant;
	case COMPARE_GREATER_EQUAL:
		return number >= point->constant;
	}
	return true;
}

static __always_inline bool passes(const void *ctx, const struct at_point *point)
{
	int64_t number = 0;

	return read_number(ctx, &point->tested, &number) && compares(number, point);
}

static __always_inline bool is_within(int64_t number)
{
	int64_t min = settings.option[AT_OPTION_MIN], max = settings.option[AT_OPTION_MAX];

	return (!min || number >= min) && (!max || number <= max);
}

static __always_inline uint32_t range_of(const struct at_point *point, uint64_t number)
{
	return point->ranges ? 1 + log_scale_bucket(number) : 0;
}

/*
 * Sets VALUE to the value at the probe point, or to 0 if it is negative. Returns false if it is out
 * of the bounds.
 */
static __always_inline bool take_value(const void *ctx, const struct hit *h, uint64_t *value)
{
	int64_t number = 0;

	if (!read_number(ctx, &h->point->value, &number) || !is_within(number))
		return false;
	*value = number < 0 ? 0 : number;
	if (number < 0)
		count_one(COUNT_NEGATIVE);
	return true;
}

/*
 * Returns the key of the CALL of a probe point, the lower 4 bits, by the current thread. SP is the
 * address of the return address, which tells recursive calls apart and stays right after
 * longjmp(3), or 0 for a system call.
 */
static __always_inline struct span_key call_key(uint32_t call, uint64_t sp)
{
	return (struct span_key){
		sp << 4 | (call & 15), (uint32_t)bpf_get_current_pid_tgid(), call >> 4};
}

/* Begins the CALL, see call_key(), whose row is in the scratch memory. */
static __noinline int begin_call(uint32_t call, uint64_t sp)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	struct counters *count = my_counters(LANE_EVENT);
	struct span_key key = call_key(call, sp);

	if (s && count) /* the time to take the stacks is not a part of the call's */
		span_begin(s, &key, bpf_ktime_get_ns(), count);
	return count_one(COUNT_BEGUN);
}

static __noinline int drop_call(uint32_t call, uint64_t sp)
{
	struct span_key key = call_key(call, sp);

	span_drop(&key);
	return 0;
}

/*
 * Takes the stacks of a hit that counts VALUE, or at which a call begins: SP is as for call_key().
 * REGS are the registers of user mode, or NULL if the probe is in the kernel. FROM is as for
 * kernel_stack(). Returns false if the call has not begun.
 */
static __always_inline bool take_stacks_of(void *from, const void *regs, const struct hit *h,
	uint64_t sp, struct ids ids, uint64_t value)
{
	struct scratch *s = my_scratch(LANE_EVENT);
	bool taken = false;

	if (!s)
		return false;
	h->count->hits++;
	if (!claim_scratch(s)) {
		h->count->spans_lost++;
		return false;
	}
	take_task(s, ids);
	s->row.state = TOOL_STATE(h->point->probe);
	if (regs)
		regs_take(&s->regs, regs);
	if (take_stacks(from, s, regs != NULL, h->count)) {
		taken = h->point->latency;
		if (taken) {
			begin_call(h->call, sp);
		} else {
			s->row.range = range_of(h->point, value);
			add_row(&s->row, 1, value, h->count);
		}
	}
	release_scratch(s);
	return taken;
}

/* Returns whether the probe point takes the system call whose record is in CTX. */
static __always_inline bool takes_syscall(const void *ctx, const struct at_point *point)
{
	uint32_t number = at_word(ctx, SYSCALL_NUMBER_AT), *takers;

	if (!point->chooses)
		return true;
	takers = bpf_map_lookup_elem(&at_syscalls, &number);
	return takers && *takers >> (point->probe & 31) & 1;
}

/* Takes a hit. SP is as for call_key(); the other arguments are as for take_stacks_of(). */
static __always_inline int take_hit_from(void *ctx, void *from, const void *regs, uint64_t sp)
{
	struct ids ids = my_ids();
	uint64_t value = 1;
	struct hit h;

	if (!begin_hit(ctx, &h) || !is_target(current_task(), ids) ||
		(regs && !settings.user && !recorded_vms()) || !takes_syscall(ctx, h.point))
		return 0;
	bool counts = h.point->test_returns || !h.point->compare || passes(ctx, h.point);

	if (counts && h.point->value.size)
		counts = take_value(ctx, &h, &value);
	/* an earlier call with this key has ended unseen, and must not be taken for this one */
	if (!(counts && take_stacks_of(from, regs, &h, sp, ids, value)) && h.point->latency)
		drop_call(h.call, sp);
	return 0;
}

/* Ends a call of the current thread, which began with SP, and adds its time to its row. */
static __always_inline int take_return(void *ctx, uint64_t sp)
{
	uint64_t now = bpf_ktime_get_ns();
	struct hit h;

	if (!begin_hit(ctx, &h))
		return 0;
	struct span_key key = call_key(h.call, sp);
	struct span *call = span_find(&key);

	if (!call)
		return 0;
	uint64_t ns = elapsed(call->since, now);

	if (call->row.start == my_start()) {
		count_one(COUNT_ENDED);
		if ((!h.point->test_returns || passes(ctx, h.point)) && is_within(ns)) {
			call->row.range = range_of(h.point, ns);
			add_time(&call->row, call->since, now, h.count);
		}
	}
	span_drop(&key);
	return 0;
}

SEC("kprobe")
int at_kernel(struct pt_regs *regs)
{
	return take_hit_from(regs, regs, NULL, PT_REGS_SP(regs));
}

/* The return address has been popped. */
SEC("kprobe")
int at_kernel_return(struct pt_regs *regs)
{
	return take_return(regs, PT_REGS_SP(regs) - RETURN_ADDRESS_SIZE);
}

SEC("uprobe")
int at_user(struct pt_regs *regs)
{
	return take_hit_from(regs, regs, regs, PT_REGS_SP(regs));
}

SEC("uprobe")
int at_user_return(struct pt_regs *regs)
{
	return take_return(regs, PT_REGS_SP(regs) - RETURN_ADDRESS_SIZE);
}

SEC("tracepoint")
int at_trace(void *ctx)
{
	return take_hit_from(ctx, ctx, NULL, 0);
}

/* At tracepoints that match a pattern, of all of which there is one probe point. */
SEC("raw_tp")
int at_raw(void *ctx)
{
	struct ids ids = my_ids();
	struct hit h;

	if (begin_hit_of(AT_RAW_POINT, &h) && is_target(current_task(), ids))
		take_stacks_of(ctx, NULL, &h, 0, ids, 1);
	return 0;
}

/*
 * At the tracepoints of system calls some kernels (6.1) give programs the registers of user mode in
 * place of the kernel's, from which they find no kernel stack.
 */
SEC("tracepoint")
int at_syscall(void *ctx)
{
	return take_hit_from(ctx, TASK_IS_TYPED ? NULL : ctx, NULL, 0);
}

SEC("tracepoint")
int at_syscall_return(void *ctx)
{
	return take_return(ctx, 0);
}

/* Each hit stands for a number of events, which is added. */
SEC("perf_event")
int at_event(struct bpf_perf_event_data *ctx)
{
	const void *regs = regs_are_user(&ctx->regs) ? &ctx->regs : NULL;
	struct ids ids = my_ids();
	struct hit h;

	if (!begin_hit(ctx, &h) || h.point->latency || !is_target(current_task(), ids) ||
		(regs && !settings.user && !recorded_vms()))
		return 0;
	h.call = 0; /* no calls are measured, which saves the room on the stack */
	take_stacks_of(ctx, regs, &h, 0, ids, ctx->sample_period);
	return 0;
}
