// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults: takes stacks at page faults. The kernel counts the software events at which the programs
 * run where it counts the faults of getrusage(2).
 */
#include "faults.h"

#include "engine/bpf/kern/core.h"
#include "engine/bpf/kern/ends.h"
#include "engine/bpf/kern/file_names.h"
#include "engine/bpf/kern/processes.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	struct file___kernel *vm_file;
};

struct seqcount {
	unsigned int sequence;
};

/* The fields that change when a mapping does. */
struct mm_struct___changes {
	struct seqcount mm_lock_seq; /* since 6.13 */
	unsigned long total_vm;
	unsigned int map_count;
};

struct mm_struct___before_6_13 {
	unsigned int mm_lock_seq; /* since 6.4 */
};

#pragma clang attribute pop

/* The last mapping that a processor has looked for, in which most of the next faults are, too. */
struct found_mapping {
	struct mm_struct *mm;
	uint64_t start, end;
	uint64_t changes; /* see changes_of() */
	struct file___kernel *file;
	uint32_t value; /* the part of a row's value */
	uint32_t kind;  /* enum fault_mapping */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct found_mapping);
} found_mappings SEC(".maps");

/* Returns a number that differs after the mappings of MM have changed. */
static __always_inline uint64_t changes_of(struct mm_struct *mm)
{
	struct mm_struct___changes *now = (void *)mm;
	struct mm_struct___before_6_13 *old = (void *)mm;

	if (bpf_core_field_exists(now->mm_lock_seq.sequence))
		return BPF_CORE_READ(now, mm_lock_seq.sequence);
	if (bpf_core_field_exists(old->mm_lock_seq))
		return BPF_CORE_READ(old, mm_lock_seq);
	return (uint64_t)BPF_CORE_READ(now, map_count) << 40 ^ BPF_CORE_READ(now, total_vm);
}

static long see_mapping(
	struct task_struct *task, struct vm_area_struct *vma, struct found_mapping *found)
{
	uint64_t stack = BPF_CORE_READ(vma, vm_mm, start_stack);

	found->start = BPF_CORE_READ(vma, vm_start);
	found->end = BPF_CORE_READ(vma, vm_end);
	found->file = BPF_CORE_READ(vma, vm_file);
	if (found->file)
		found->kind = MAPPING_FILE;
	else if (found->start <= BPF_CORE_READ(vma, vm_mm, brk) &&
		 found->end >= BPF_CORE_READ(vma, vm_mm, start_brk))
		found->kind = MAPPING_HEAP;
	else
		found->kind = found->start <= stack && stack <= found->end ? MAPPING_STACK
									   : MAPPING_ANONYMOUS;
	return 0;
}

/* Returns the part of a row's value that is the mapping of ADDRESS, which is looked for. */
static __always_inline uint32_t find_mapping(
	struct mm_struct *mm, uint64_t address, struct found_mapping *last)
{
	struct found_mapping found = {.mm = mm, .changes = changes_of(mm)};

	/* fails if another thread is changing the mappings */
	bpf_find_vma((void *)bpf_get_current_task_btf(), address, see_mapping, &found, 0);
	found.value = found.kind << FAULT_MAPPING_SHIFT |
		      (found.file ? number_of(found.file) << FAULT_FILE_SHIFT : 0);
	*last = found;
	return found.value;
}

/*
 * Returns the same, from the last search on this processor if possible: a search interrupts the
 * processor on kernels where it runs with interrupts off.
 */
static __always_inline uint32_t mapping_of(uint64_t address)
{
	struct mm_struct *mm = BPF_CORE_READ(current_task(), mm);
	uint32_t zero = 0;
	struct found_mapping *last = bpf_map_lookup_elem(&found_mappings, &zero);

	if (!last)
		return 0;
	return last->mm == mm && address >= last->start && address < last->end &&
			       last->changes == changes_of(mm)
		       ? last->value
		       : find_mapping(mm, address, last);
}

static __always_inline int take_fault(
	struct bpf_perf_event_data *ctx, uint32_t kind, bool has_mapping)
{
	struct counters *count = my_counters(LANE_EVENT);
	struct scratch *s = my_scratch(LANE_EVENT);
	bool in_user = regs_are_user(&ctx->regs);
	struct ids ids = my_ids();

	if (!count || !s || !is_target(current_task(), ids) || bpf_ktime_get_ns() > control.until)
		return 0;
	count->hits++;
	if (!claim_scratch(s)) {
		count->spans_lost++;
		return 0;
	}
	take_task(s, ids);
	s->row.state = TOOL_VALUE(kind | (has_mapping ? mapping_of(ctx->addr) : 0));
	if (in_user)
		regs_take(&s->regs, &ctx->regs);
	if (take_stacks(ctx, s, in_user, count))
		add_row(&s->row, 1, 1, count);
	release_scratch(s);
	return 0;
}

/* Defines the programs at a kind of faults: with the mapping, and for kernels before 5.17. */
#define PROGRAM(name, kind)                                                                        \
	SEC("perf_event")                                                                          \
	int on_##name##_mapped(struct bpf_perf_event_data *ctx)                                    \
	{                                                                                          \
		return take_fault(ctx, kind, true);                                                \
	}                                                                                          \
	SEC("perf_event")                                                                          \
	int on_##name(struct bpf_perf_event_data *ctx)                                             \
	{                                                                                          \
		return take_fault(ctx, kind, false);                                               \
	}

PROGRAM(minor, FAULT_MINOR)
PROGRAM(major, FAULT_MAJOR)
