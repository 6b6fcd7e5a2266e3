// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rss: takes stacks when the resident memory of an address space grows. The tracepoint tells that a
 * counter of the address space has changed, but not by how much, so the counters are remembered.
 *
 * Since Linux 6.2 a counter consists of a common part and a part for each processor, which is added
 * to the common part when it has become large. The kernel tells of each change. In older kernels
 * each thread adds up to 64 changes by itself before the counter changes and the kernel tells of
 * it.
 */
#include "rss.h"

#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/interrupt.h"
#include "engine/bpf/kern/processes.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct percpu_counter {
	int64_t count;
	int32_t *counters;
};

struct bpf_array {
	void *pptrs[1]; /* where the variables of processors are, before an offset is added */
};

struct mm_struct___counters {
	atomic_t mm_users;
	struct percpu_counter rss_stat[RSS_KINDS];
};

typedef struct {
	int64_t counter;
} atomic64_t;

struct mm_rss_stat {
	atomic64_t count[RSS_KINDS];
};

struct mm_struct___before_6_2 {
	struct mm_rss_stat rss_stat;
};

#pragma clang attribute pop

enum { CPUS_MAX = 8192 };

/* By the address of their mm_struct. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RSS_MEMORIES_MAX);
	__type(key, uint64_t);
	__type(value, struct rss_memory);
} rss_memories SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, RSS_PARTS_MAX);
	__type(key, struct rss_part_key);
	__type(value, struct rss_part);
} rss_parts SEC(".maps");

/* The bytes by which the memory of the target has become smaller. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} rss_shrunk SEC(".maps");

/* Cleared when the counters of the processes that existed at the beginning have been read. */
static volatile bool is_early = true;

/* Returns whether the address spaces that TASK has, or makes, may be the target's. */
static __always_inline bool is_watched(struct task_struct *task, struct ids ids)
{
	return settings.all || settings.by_comm || settings.by_cgroup ||
	       (control.command && control.command == ids.tgid) || is_target(task, ids);
}

static __always_inline bool is_mine(struct mm_struct *mm)
{
	return mm == BPF_CORE_READ(current_task(), mm);
}

static __always_inline struct percpu_counter *counter_of(struct mm_struct *mm, uint32_t kind)
{
	return (void *)((char *)mm + bpf_core_field_offset(struct mm_struct___counters, rss_stat) +
			kind * bpf_core_type_size(struct percpu_counter));
}

/* Reads the counters of MM, without the parts of processors. */
static __always_inline void read_counters(struct mm_struct *mm, struct rss_memory *memory)
{
	struct mm_struct___before_6_2 *old = (void *)mm;

	if (bpf_core_field_exists(old->rss_stat.count)) {
		memory->pages[RSS_FILE] = BPF_CORE_READ(old, rss_stat.count[RSS_FILE].counter);
		memory->pages[RSS_ANON] = BPF_CORE_READ(old, rss_stat.count[RSS_ANON].counter);
		memory->pages[RSS_SHMEM] = BPF_CORE_READ(old, rss_stat.count[RSS_SHMEM].counter);
		return;
	}
	for (uint32_t i = 0; i < RSS_KINDS; i++) {
		struct percpu_counter *counter = counter_of(mm, i);

		memory->pages[i] = BPF_CORE_READ(counter, count);
	}
}

/*
 * Returns what is known of MM, or NULL if it does not matter. If a thread changes an address space
 * that is not its own and not known, the address space is new: fork(2) and execve(2) make one so.
 */
static __always_inline struct rss_memory *memory_of(struct mm_struct *mm)
{
	struct mm_struct___counters *counters = (void *)mm;
	uint64_t key = (uint64_t)mm;
	struct rss_memory *known = bpf_map_lookup_elem(&rss_memories, &key);

	if (!BPF_CORE_READ(counters, mm_users.counter)) { /* it is being freed */
		if (known)
			bpf_map_delete_elem(&rss_memories, &key);
		return NULL;
	}
	if (known || (is_early && is_mine(mm)) || !is_watched(current_task(), my_ids()))
		return known;
	struct rss_memory first = {.since = bpf_ktime_get_ns()};

	if (is_mine(mm))
		read_counters(mm, &first);
	bpf_map_update_elem(&rss_memories, &key, &first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&rss_memories, &key);
}

/* Takes the stacks of the current thread, whose memory has grown by NR pages. */
static __always_inline int take_growth(void *ctx, uint32_t kind, uint64_t nr)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);

	if (!count || !s)
		return 0;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, my_ids());
	s->row.state = TOOL_STATE(kind);
	bool in_user = my_call() < 0 && take_my_saved_regs(s);

	if (take_stacks(ctx, s, in_user, count))
		add_row(&s->row, 1, nr * PAGE, count);
	release_scratch(s);
	return 0;
}

/* Records that the memory MM has changed by NR pages of KIND, if the current thread has done so. */
static __always_inline int take_change(void *ctx, struct mm_struct *mm, uint32_t kind, int64_t nr)
{
	uint32_t zero = 0;

	if (!nr || kind == RSS_SWAP || !(settings.option[RSS_OPTION_KIND] >> kind & 1) ||
		!is_mine(mm) || !is_target(current_task(), my_ids()) ||
		bpf_ktime_get_ns() > control.until)
		return 0;
	uint64_t *shrunk = bpf_map_lookup_elem(&rss_shrunk, &zero);

	if (nr > 0)
		take_growth(ctx, kind, nr);
	else if (shrunk)
		*shrunk += -nr * PAGE;
	return 0;
}

/* ---- since Linux 6.2 ---- */

/* Returns POINTER as a number, with which the verifier lets programs calculate. */
static __always_inline uint64_t number_of(const void *pointer)
{
	uint64_t number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

/* Returns the offset of a processor's variables, by one of ours at ADDRESS. */
static __always_inline uint64_t offset_of(const uint64_t *address)
{
	uint64_t at = number_of(&rss_shrunk) + bpf_core_field_offset(struct bpf_array, pptrs);
	uint64_t variable = 0;

	bpf_probe_read_kernel(&variable, sizeof(variable), (const void *)at);
	return number_of(address) - variable;
}

static __always_inline int64_t read_part(const struct percpu_counter *counter, uint64_t offset)
{
	int32_t part = 0;

	bpf_probe_read_kernel(
		&part, sizeof(part), (char *)BPF_CORE_READ(counter, counters) + offset);
	return part;
}

/* Remembers this processor's part of a counter. Returns by how much it has changed. */
static __always_inline int64_t part_change(
	struct mm_struct *mm, uint32_t kind, int64_t now, uint64_t since)
{
	struct rss_part_key key = {.mm = (uint64_t)mm, .cpu = bpf_get_smp_processor_id()};
	struct rss_part *part = bpf_map_lookup_elem(&rss_parts, &key);

	if (part && part->since == since) {
		int64_t *last = &part->pages[UNWIND_INDEX(kind, RSS_KINDS)], change = now - *last;

		*last = now;
		return change;
	}
	struct rss_part first = {.since = since};

	first.pages[UNWIND_INDEX(kind, RSS_KINDS)] = now;
	bpf_map_update_elem(&rss_parts, &key, &first, BPF_ANY);
	return now;
}

/*
 * Remembers the common part of a counter. Returns by how much it has changed since a processor has
 * added its part, which is 0 from then on.
 */
static __always_inline int64_t common_change(
	struct rss_memory *memory, uint32_t kind, const struct percpu_counter *counter)
{
	int64_t now = BPF_CORE_READ(counter, count);

	return now - __sync_lock_test_and_set(&memory->pages[UNWIND_INDEX(kind, RSS_KINDS)], now);
}

SEC("raw_tp/rss_stat")
int on_rss(struct bpf_raw_tracepoint_args *ctx)
{
	struct mm_struct *mm = (void *)ctx->args[0];
	uint64_t kind = (uint32_t)ctx->args[1];
	struct rss_memory *memory = memory_of(mm);
	uint32_t zero = 0;
	const uint64_t *mine = bpf_map_lookup_elem(&rss_shrunk, &zero);

	if (!memory || kind >= RSS_KINDS || !mine)
		return 0;
	struct percpu_counter *counter = counter_of(mm, kind);
	int64_t part = read_part(counter, offset_of(mine));
	int64_t change = part_change(mm, kind, part, memory->since);

	/* another processor may have added its part at the same time */
	if (!part)
		change += common_change(memory, kind, counter);
	return take_change(ctx, mm, kind, change);
}

/* An address space whose counters are read. */
struct rss_scan {
	struct mm_struct *mm;
	uint64_t since;
};

static long scan_part(uint32_t cpu, struct rss_scan *scan)
{
	struct rss_part_key key = {.mm = (uint64_t)scan->mm, .cpu = cpu};
	struct rss_part part = {.since = scan->since};
	uint32_t zero = 0;
	const uint64_t *its = bpf_map_lookup_percpu_elem(&rss_shrunk, &zero, cpu);

	if (!its)
		return 1; /* there are no more processors */
	for (uint32_t i = 0; i < RSS_KINDS; i++)
		part.pages[i] = read_part(counter_of(scan->mm, i), offset_of(its));
	bpf_map_update_elem(&rss_parts, &key, &part, BPF_ANY);
	return 0;
}

/*
 * Returns the address space of the iterator's task if it is watched and its counters have not been
 * read yet, or NULL.
 */
static __always_inline struct mm_struct *mm_to_scan(struct task_struct *task)
{
	struct mm_struct *mm = task ? BPF_CORE_READ(task, mm) : NULL;
	uint64_t key = (uint64_t)mm;
	const struct rss_memory *known = bpf_map_lookup_elem(&rss_memories, &key);

	if (!task)
		is_early = false;
	return mm && is_watched(task, ids_of(task)) && !(known && known->is_whole) ? mm : NULL;
}

/* Remembers the counters of the processes that exist. */
SEC("iter/task")
int scan_memories(struct bpf_iter__task *ctx)
{
	struct rss_scan scan = {mm_to_scan(ctx->task), bpf_ktime_get_ns()};
	struct rss_memory memory = {.since = scan.since, .is_whole = true};
	uint64_t key = (uint64_t)scan.mm;

	if (!key)
		return 0;
	read_counters(scan.mm, &memory);
	bpf_loop(CPUS_MAX, scan_part, &scan, 0);
	bpf_map_update_elem(&rss_memories, &key, &memory, BPF_ANY);
	return 0;
}

/* ---- before ---- */

SEC("raw_tp/rss_stat")
int old_rss(struct bpf_raw_tracepoint_args *ctx)
{
	struct mm_struct *mm = (void *)ctx->args[0];
	uint64_t kind = (uint32_t)ctx->args[1];
	int64_t pages = ctx->args[2];
	struct rss_memory *memory = memory_of(mm);

	if (!memory || kind >= RSS_KINDS)
		return 0;
	int64_t *last = &memory->pages[UNWIND_INDEX(kind, RSS_KINDS)], change = pages - *last;

	*last = pages;
	return take_change(ctx, mm, kind, change);
}

SEC("iter/task")
int scan_old_memories(struct bpf_iter__task *ctx)
{
	struct mm_struct *mm = mm_to_scan(ctx->task);
	struct rss_memory memory = {.since = bpf_ktime_get_ns(), .is_whole = true};
	uint64_t key = (uint64_t)mm;

	if (!mm)
		return 0;
	read_counters(mm, &memory);
	bpf_map_update_elem(&rss_memories, &key, &memory, BPF_ANY);
	return 0;
}
