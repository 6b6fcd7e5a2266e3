// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmap: takes stacks where system calls that map memory return. Each range that is mapped is a
 * span, and so is each that is unmapped: which parts of the ranges are left is found out in user
 * space, from the times.
 */
#include "mmap.h"

#define SPANS_MAX MMAP_RANGES_MAX
#include "arch/x86_64/syscall_bpf.h"
#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/executed.h"
#include "engine/bpf/kern/file_names.h"
#include "engine/bpf/kern/processes.h"
#include "engine/bpf/kern/span.h"

enum { FLAG_ANONYMOUS = 0x20 }; /* MAP_ANONYMOUS */

/* Where the heap ended at the beginning of brk(2), by thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MMAP_BRKS_MAX);
	__type(key, uint32_t);
	__type(value, uint64_t);
} mmap_brks SEC(".maps");

/* What a system call has done: a range without a length is none. */
struct mmap_change {
	uint64_t unmapped, unmapped_length;
	uint64_t mapped, mapped_length;
	uint32_t value; /* of the row, see RANGE_CALL */
};

static __always_inline uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static __always_inline struct span_key range_key(uint64_t start, uint32_t part)
{
	return (struct span_key){start, my_ids().tgid, part};
}

/*
 * Another range takes the first LENGTH bytes from START of the one that begins there: the rest of
 * that range is kept.
 */
static __noinline int cut_range(uint64_t start, uint64_t length, uint32_t part)
{
	struct span_key from = range_key(start, part);
	struct span_key to = range_key(start + length, part);
	struct counters *count = my_counters(LANE_EVENT);
	struct span *span = span_find(&from);

	if (!span || !count)
		return 0;
	if (span->word[RANGE_LENGTH] > length) {
		span->word[RANGE_LENGTH] -= length;
		if (span_find(&to))
			to.part += RANGE_REST * (uint32_t)(span->since >> 8);
		if (bpf_map_update_elem(&spans, &to, span, BPF_ANY))
			count->spans_full++;
	}
	span_drop(&from);
	return 0;
}

/* Begins the span of a range, with the row in the scratch memory. */
static __always_inline void begin_range(struct scratch *s, uint64_t start, uint64_t length,
	enum range_part part, struct counters *count)
{
	struct span_key key = range_key(start, part);

	cut_range(start, length, RANGE_MAPPED);
	cut_range(start, length, RANGE_UNMAPPED);
	s->span.word[RANGE_LENGTH] = length;
	span_begin(s, &key, bpf_ktime_get_ns(), count);
}

/* Records the CHANGE by a call of the current thread, whose registers are in the scratch memory. */
static __always_inline void take_change(
	void *ctx, struct scratch *s, const struct mmap_change *change, struct counters *count)
{
	uint64_t start = change->mapped, length = change->mapped_length;

	take_task(s, my_ids());
	if (change->unmapped_length)
		begin_range(s, change->unmapped, change->unmapped_length, RANGE_UNMAPPED, count);
	if (!length)
		return;
	count->hits++;
	s->row.state = TOOL_VALUE(change->value);
	if (!take_stacks(ctx, s, true, count))
		return;
	add_row(&s->row, 1, length, count);
	begin_range(s, start, length, RANGE_MAPPED, count);
}

/* ---- the system calls ---- */

static __always_inline enum mmap_call call_of(uint64_t number, bool is_compat)
{
	switch (number & ~(uint64_t)SYSCALL_X32) {
	case CALL_MMAP:
		return is_compat ? MMAP_OTHER : MMAP_MAP;
	case CALL_MUNMAP:
		return is_compat ? MMAP_OTHER : MMAP_UNMAP;
	case CALL_BRK:
		return is_compat ? MMAP_OTHER : MMAP_BRK;
	case CALL_MREMAP:
		return is_compat ? MMAP_OTHER : MMAP_REMAP;
	case COMPAT_MMAP2:
		return is_compat ? MMAP_MAP : MMAP_OTHER;
	case COMPAT_MUNMAP:
		return is_compat ? MMAP_UNMAP : MMAP_OTHER;
	case COMPAT_BRK:
		return is_compat ? MMAP_BRK : MMAP_OTHER;
	case COMPAT_MREMAP:
		return is_compat ? MMAP_REMAP : MMAP_OTHER;
	default:
		return MMAP_OTHER;
	}
}

static __always_inline bool is_compat_call(void)
{
	return BPF_CORE_READ(current_task(), thread_info.status) & STATUS_COMPAT;
}

/* Sets CHANGE to what mmap(2) has done, whose arguments are ADDRESS LENGTH PROT FLAGS FD OFFSET. */
static __always_inline void see_mmap(
	struct mmap_change *change, const struct scratch *s, bool is_compat, uint64_t result)
{
	uint32_t access = syscall_argument(&s->regs, 2, is_compat) & RANGE_ACCESS;
	bool has_file = !(syscall_argument(&s->regs, 3, is_compat) & FLAG_ANONYMOUS);

	change->mapped = result;
	change->mapped_length = whole_pages(syscall_argument(&s->regs, 1, is_compat));
	change->value = MMAP_MAP | access << RANGE_ACCESS_SHIFT;
	if (has_file)
		change->value |= file_number(syscall_argument(&s->regs, 4, is_compat))
				 << RANGE_FILE_SHIFT;
	else
		change->value |= RANGE_ANONYMOUS;
}

/* The same for mremap(2): ADDRESS LENGTH NEW_LENGTH FLAGS. */
static __always_inline void see_mremap(
	struct mmap_change *change, const struct scratch *s, bool is_compat, uint64_t result)
{
	change->unmapped = syscall_argument(&s->regs, 0, is_compat);
	change->unmapped_length = whole_pages(syscall_argument(&s->regs, 1, is_compat));
	change->mapped = result;
	change->mapped_length = whole_pages(syscall_argument(&s->regs, 2, is_compat));
	change->value = MMAP_REMAP;
}

/* The same for brk(2), which moves the end of the heap, from *OLD to RESULT. */
static __always_inline void see_brk(
	struct mmap_change *change, const uint64_t *old, uint64_t result)
{
	uint64_t from = old ? whole_pages(*old) : 0, to = whole_pages(result);

	change->value = MMAP_BRK;
	if (old && to > from) {
		change->mapped = from;
		change->mapped_length = to - from;
	} else if (old) {
		change->unmapped = to;
		change->unmapped_length = from - to;
	}
}

SEC("raw_tp/sys_enter")
int on_mmap_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct mm_struct *mm;
	uint32_t thread = (uint32_t)bpf_get_current_pid_tgid();

	if (call_of(ctx->args[1], is_compat_call()) != MMAP_BRK ||
		!is_target(current_task(), my_ids()))
		return 0;
	mm = BPF_CORE_READ(current_task(), mm);
	uint64_t end = BPF_CORE_READ(mm, brk);

	bpf_map_update_elem(&mmap_brks, &thread, &end, BPF_ANY);
	return 0;
}

static __always_inline void see_call(void *ctx, struct scratch *s, enum mmap_call call,
	bool is_compat, uint64_t result, struct counters *count)
{
	uint32_t thread = (uint32_t)bpf_get_current_pid_tgid();
	struct mmap_change change = {0};

	if (call == MMAP_MAP) {
		see_mmap(&change, s, is_compat, result);
	} else if (call == MMAP_REMAP) {
		see_mremap(&change, s, is_compat, result);
	} else if (call == MMAP_BRK) {
		see_brk(&change, bpf_map_lookup_elem(&mmap_brks, &thread), result);
	} else {
		change.unmapped = syscall_argument(&s->regs, 0, is_compat);
		change.unmapped_length = whole_pages(syscall_argument(&s->regs, 1, is_compat));
	}
	take_change(ctx, s, &change, count);
}

SEC("raw_tp/sys_exit")
int on_mmap(struct bpf_raw_tracepoint_args *ctx)
{
	const struct pt_regs___kernel *regs = (const void *)ctx->args[0];
	bool is_compat = is_compat_call();
	enum mmap_call call = call_of(syscall_number(regs), is_compat);
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	int64_t result = ctx->args[1];

	if (call == MMAP_OTHER || (result < 0 && result >= -4095) || !count || !s ||
		!is_target(current_task(), my_ids()) || bpf_ktime_get_ns() > control.until)
		return 0;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	if (!bpf_probe_read_kernel(&s->regs, sizeof(s->regs), regs))
		see_call(ctx, s, call, is_compat, result, count);
	release_scratch(s);
	return 0;
}
