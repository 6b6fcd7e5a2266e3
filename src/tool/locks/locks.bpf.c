// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks: takes stacks when threads wait for futexes and for locks of the kernel, and measures the
 * time until they go on.
 */
#include "locks.h"

#define SPANS_MAX LOCK_WAITS_MAX
#define SPANS_TYPE BPF_MAP_TYPE_LRU_HASH /* threads may end in a wait */
#include "arch/x86_64/syscall_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/interrupt.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"
#include "engine/bpf/kern/waiting.h"
#include "engine/bpf/kern/wakers.h"
#include "lib/log_scale.h"

/* ---- labels ---- */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LOCK_LABELS_MAX);
	__type(key, uint32_t);
	__type(value, struct lock_labels);
} lock_labels SEC(".maps");

enum { LABELS_PROBES = 8, LABELS_WORDS = sizeof(struct lock_labels) / 8 };

static __always_inline bool same_labels(const struct lock_labels *a, const struct lock_labels *b)
{
	const uint64_t *x = (const void *)a, *y = (const void *)b;

	for (int i = 0; i < LABELS_WORDS; i++)
		if (x[i] != y[i])
			return false;
	return true;
}

/* Returns the number of L, or 0 if there is no room. */
static __noinline uint32_t labels_number(const struct lock_labels *l)
{
	uint64_t hash = 0;

	for (int i = 0; i < LABELS_WORDS; i++)
		hash = (hash ^ ((const uint64_t *)l)[i]) * 0x9e3779b97f4a7c15ULL;
	for (uint32_t i = 0; i < LABELS_PROBES; i++) {
		uint32_t number = ((hash >> (64 - LOCK_LABELS_BITS)) + i) % LOCK_LABELS_MAX + 1;
		const struct lock_labels *known = bpf_map_lookup_elem(&lock_labels, &number);

		if (!known && !bpf_map_update_elem(&lock_labels, &number, l, BPF_NOEXIST))
			return number;
		known = known ? known : bpf_map_lookup_elem(&lock_labels, &number);
		if (known && same_labels(known, l))
			return number;
	}
	return 0;
}

/* Returns the labels of a wait, without the thread that has released the lock. */
static __always_inline struct lock_labels labels_of(const struct span *wait)
{
	uint16_t kind = wait->word[LOCK_KIND];

	return (struct lock_labels){.address = wait->word[LOCK_ADDRESS],
		.tgid = kind < LOCK_SPIN ? wait->row.tgid : 0,
		.owner = wait->word[LOCK_KIND] >> LOCK_OWNER,
		.kind = kind};
}

/* ---- waits ---- */

static __always_inline void begin_wait(
	struct scratch *s, const struct span_key *key, struct counters *count)
{
	s->span.word[LOCK_NUMBER] = 0;
	s->span.wakers[0] = 0;
	span_begin(s, key, bpf_ktime_get_ns(), count);
}

/* Ends WAIT at NOW. ERROR tells why the thread has not got what it waited for, or is 0. */
static __noinline int end_wait(struct span *wait, uint64_t now, uint32_t error)
{
	struct counters *count = my_counters(LANE_EVENT);
	uint64_t ns = elapsed(wait->since, now);
	uint32_t number = error ? 0 : wait->word[LOCK_NUMBER];

	if (!count || now > control.until || wait->row.start != my_start() ||
		!lock_wait_counts(&settings, ns))
		return 0;
	if (!number) {
		struct lock_labels labels = labels_of(wait);

		labels.error = error;
		number = labels_number(&labels);
	}
	wait->row.state = TOOL_VALUE(number);
	wait->row.waker = error ? 0 : wait->wakers[0];
	wait->row.range = settings.ranges ? 1 + log_scale_bucket(ns) : 0;
	add_time(&wait->row, wait->since, now, count);
	return 0;
}

/* ---- futexes ---- */

/* The operations of futex(2) that wait. */
enum {
	FUTEX_WAIT = 0,
	FUTEX_LOCK_PI = 6,
	FUTEX_WAIT_BITSET = 9,
	FUTEX_WAIT_REQUEUE_PI = 11,
	FUTEX_LOCK_PI2 = 13,
	FUTEX_COMMAND = 127, /* the bits of an operation that are not flags */
};

enum { FUTEX_WAITV_AT = 8 }; /* the address of the futex in struct futex_waitv */

/* Returns the kind of wait of this operation of futex(2), or LOCK_KINDS if it does not wait. */
static __always_inline uint32_t kind_of(uint64_t operation)
{
	switch (operation & FUTEX_COMMAND) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return LOCK_FUTEX;
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return LOCK_PI;
	case FUTEX_WAIT_REQUEUE_PI:
		return LOCK_CONDITION;
	default:
		return LOCK_KINDS;
	}
}

/*
 * Sets the words of s->span to the wait of the call NUMBER, which has the registers s->regs.
 * Returns false if the call does not wait for a futex.
 */
static __always_inline bool take_futex(struct scratch *s, uint64_t number, bool is_compat)
{
	uint64_t address = syscall_argument(&s->regs, 0, is_compat);
	uint32_t kind = LOCK_FUTEX;

	if (syscall_is_futex(number, is_compat))
		kind = kind_of(syscall_argument(&s->regs, 1, is_compat));
	else if (number == CALL_FUTEX_WAITV)
		bpf_probe_read_user(
			&address, sizeof(address), (const void *)(address + FUTEX_WAITV_AT));
	else if (number != CALL_FUTEX_WAIT)
		return false;
	s->span.word[LOCK_ADDRESS] = address;
	s->span.word[LOCK_KIND] = kind;
	return kind < LOCK_KINDS;
}

enum {
	MUTEX_OWNER_AT = 8,     /* in glibc's pthread_mutex_t, whose futex is its first member */
	OWNER_TID = 0x3fffffff, /* FUTEX_TID_MASK */
};

/*
 * Notes which thread has the lock in s->span. A futex that passes on priorities says so itself. Of
 * others it is only known if they are mutexes, so it counts only if the process has such a thread.
 */
static __noinline int take_owner(struct scratch *s)
{
	uint64_t address, kind;
	uint32_t owner = 0;

	if (!s)
		return 0;
	address = s->span.word[LOCK_ADDRESS];
	kind = s->span.word[LOCK_KIND];
	if (kind != LOCK_FUTEX && kind != LOCK_PI)
		return 0;
	bpf_probe_read_user(&owner, sizeof(owner),
		(const void *)(kind == LOCK_PI ? address : address + MUTEX_OWNER_AT));
	s->span.word[LOCK_KIND] |= (uint64_t)(owner & OWNER_TID) << LOCK_OWNER;
	return 0;
}

static __always_inline struct span_key futex_key(uint32_t tid)
{
	return (struct span_key){.id = tid, .part = LOCK_PART_USER};
}

/* Returns whether the call has to do with futexes. */
static __always_inline bool is_futex_call(uint64_t number, bool is_compat)
{
	return syscall_is_futex(number, is_compat) ||
	       (number >= CALL_FUTEX_WAKE && number <= CALL_FUTEX_REQUEUE) ||
	       number == CALL_FUTEX_WAITV;
}

static __always_inline void take_wait(
	void *ctx, struct scratch *s, uint64_t number, bool is_compat, struct counters *count)
{
	struct span_key key = futex_key(bpf_get_current_pid_tgid());

	if (!take_futex(s, number, is_compat))
		return;
	count->hits++;
	take_owner(s);
	if (take_stacks(ctx, s, true, count))
		begin_wait(s, &key, count);
}

SEC("raw_tp/sys_enter")
int on_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct task_struct *task = current_task();
	uint64_t number = ctx->args[1] & ~(uint64_t)SYSCALL_X32;
	bool is_compat = BPF_CORE_READ(task, thread_info.status) & STATUS_COMPAT;
	struct ids ids = my_ids();

	if (!is_futex_call(number, is_compat) || !s || !count || !is_target(task, ids) ||
		bpf_ktime_get_ns() > control.until)
		return 0;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, ids);
	bpf_probe_read_kernel(&s->regs, sizeof(s->regs), (const void *)ctx->args[0]);
	take_wait(ctx, s, number, is_compat, count);
	release_scratch(s);
	return 0;
}

enum { ERROR_AGAIN = 11, ERRORS = 4095 };

/* A call that fails with EAGAIN has not waited, as the futex had changed before. */
SEC("raw_tp/sys_exit")
int on_return(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t now = bpf_ktime_get_ns();
	struct span_key key = futex_key(bpf_get_current_pid_tgid());
	struct span *wait = span_find(&key);
	int64_t result = ctx->args[1];
	uint32_t error = result < 0 && result >= -ERRORS ? -result : 0;

	if (!wait)
		return 0;
	if (error != ERROR_AGAIN)
		end_wait(wait, now, error);
	span_drop(&key);
	return 0;
}

/*
 * Returns whether the current thread releases futexes: in a system call or, as the kernel does for
 * the thread, at its end.
 */
static __always_inline bool releases(struct task_struct *task)
{
	return my_flags() & TASK_EXITING ||
	       is_futex_call(my_call() & ~(uint64_t)SYSCALL_X32,
		       BPF_CORE_READ(task, thread_info.status) & STATUS_COMPAT);
}

/* Takes the stacks of the current thread, which has released what WAIT waits for. */
static __noinline int take_releaser(struct bpf_raw_tracepoint_args *ctx, struct span *wait)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);

	if (!s || !count || !wait || !claim_scratch(s))
		return 0;
	wait->wakers[0] = take_waker(ctx, s, count);
	release_scratch(s);
	return 0;
}

/* Notes which thread has released the futex that WAIT waits for. */
static __always_inline void note_release(struct bpf_raw_tracepoint_args *ctx, struct span *wait)
{
	struct lock_labels labels = labels_of(wait);
	struct ids ids = my_ids();

	if (my_flags() & TASK_EXITING && labels.kind == LOCK_FUTEX &&
		(uint64_t)BPF_CORE_READ(current_task(), clear_child_tid) == labels.address)
		labels.kind = LOCK_JOIN;
	if (labels.kind == LOCK_JOIN)
		labels.owner = 0;
	labels.tid_by = ids.tid;
	bpf_get_current_comm(labels.comm_by, sizeof(labels.comm_by));
	wait->word[LOCK_NUMBER] = labels_number(&labels);
	if (settings.option[LOCKS_OPTION_RELEASER] & RELEASER_STACK)
		take_releaser(ctx, wait);
}

SEC("raw_tp/sched_waking")
int on_release(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	struct span_key key = futex_key(BPF_CORE_READ(task, pid));
	struct span *wait = span_find(&key);

	/* a timer may have interrupted a thread that has nothing to do with the lock */
	if (wait && !wait->word[LOCK_NUMBER] && !is_interrupted(ctx) && releases(current_task()))
		note_release(ctx, wait);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LOCK_THREADS_MAX);
	__type(key, struct lock_thread_key);
	__type(value, struct lock_thread);
} lock_threads SEC(".maps");

/* Notes the futex that the kernel releases at the end of TASK. */
static __always_inline void note_thread(struct task_struct *task, struct ids ids)
{
	struct lock_thread_key key = {.address = (uint64_t)task->clear_child_tid, .tgid = ids.tgid};
	struct lock_thread thread = {.tid = ids.tid};

	bpf_probe_read_kernel(thread.comm, COMM_LEN, task->comm);
	if (key.address)
		bpf_map_update_elem(&lock_threads, &key, &thread, BPF_ANY);
}

static volatile bool has_scanned; /* the threads at the start */

/*
 * Adds the threads that wait for futexes already at the start. At the end, when it is run again,
 * notes the threads that have not ended.
 */
SEC("iter/task")
int scan_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct counters *count = my_counters(LANE_SCAN);
	struct scratch *s = my_scratch(LANE_SCAN);

	if (!task)
		has_scanned = true;
	if (!task || !s || !count)
		return 0;
	struct ids ids = ids_of(task);
	struct span_key key = futex_key(task->pid);
	bool is_compat = task->thread_info.status & STATUS_COMPAT;

	if (!is_target(task, ids) || !task->mm)
		return 0;
	if (has_scanned) {
		note_thread(task, ids);
		return 0;
	}
	if (task->on_cpu || !take_regs_of(s, task))
		return 0;
	begin_waiting(s, task, ids);
	if (!take_futex(s, s->regs.orig_ax & ~(uint64_t)SYSCALL_X32, is_compat))
		return 0;
	s->span.word[LOCK_KIND] |= LOCK_EARLIER;
	keep_waiting(s, task, &key, false, count);
	return 0;
}

/* ---- locks of the kernel ---- */

/* Flags of the tracepoint contention_begin. */
enum {
	CONTENTION_SPIN = 1,
	CONTENTION_READ = 2,
	CONTENTION_WRITE = 4,
	CONTENTION_RT = 8,
	CONTENTION_PERCPU = 16,
	CONTENTION_MUTEX = 32,
};

static __always_inline uint32_t kind_of_contention(uint32_t flags)
{
	bool is_rw = flags & (CONTENTION_READ | CONTENTION_WRITE);

	return flags & CONTENTION_MUTEX    ? LOCK_MUTEX
	       : flags & CONTENTION_RT     ? LOCK_RT
	       : flags & CONTENTION_PERCPU ? LOCK_PERCPU_RWSEM
	       : flags & CONTENTION_SPIN   ? (is_rw ? LOCK_RWLOCK : LOCK_SPIN)
	       : is_rw                     ? LOCK_RWSEM
					   : LOCK_SEMAPHORE;
}

static __always_inline struct span_key contention_key(uint64_t lock)
{
	return (struct span_key){
		.id = lock, .tgid = bpf_get_current_pid_tgid(), .part = LOCK_PART_KERNEL};
}

struct mutex {
	struct {
		long counter;
	} owner;
} __attribute__((preserve_access_index));

/*
 * Returns the thread that has the mutex at ADDRESS, or 0 if it is not known, as kernels for real
 * time have other mutexes. The lowest bits of the owner's address are flags.
 */
static __noinline uint64_t mutex_owner(uint64_t address)
{
	const struct mutex *mutex = (const void *)address;
	const struct task_struct *owner = NULL;

	if (bpf_core_field_exists(mutex->owner))
		owner = (const void *)(BPF_CORE_READ(mutex, owner.counter) & ~7UL);
	return owner ? BPF_CORE_READ(owner, pid) : 0;
}

/* The tracepoint is hit again when a thread that has spun for a mutex goes to sleep. */
SEC("raw_tp/contention_begin")
int on_contention(struct bpf_raw_tracepoint_args *ctx)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	struct span_key key = contention_key(ctx->args[0]);
	const struct span *known = span_find(&key);
	struct ids ids = my_ids();

	if (!s || !count || !is_target(current_task(), ids) ||
		(known && known->row.start == my_start()) || bpf_ktime_get_ns() > control.until)
		return 0;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, ids);
	if (take_stacks(ctx, s, false, count)) {
		s->span.word[LOCK_ADDRESS] = key.id;
		s->span.word[LOCK_KIND] = kind_of_contention(ctx->args[1]);
		if (s->span.word[LOCK_KIND] == LOCK_MUTEX)
			s->span.word[LOCK_KIND] |= mutex_owner(key.id) << LOCK_OWNER;
		begin_wait(s, &key, count);
	}
	release_scratch(s);
	return 0;
}

SEC("raw_tp/contention_end")
int on_contention_end(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t now = bpf_ktime_get_ns();
	struct span_key key = contention_key(ctx->args[0]);
	struct span *wait = span_find(&key);
	int32_t result = ctx->args[1];

	if (!wait)
		return 0;
	end_wait(wait, now, result < 0 && result >= -ERRORS ? -result : 0);
	span_drop(&key);
	return 0;
}
