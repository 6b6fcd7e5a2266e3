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

#pragma clang attribute pop

struct found_mapping {
	struct file___kernel *file;
	uint64_t kind; /* enum fault_mapping */
};

static long see_mapping(
	struct task_struct *task, struct vm_area_struct *vma, struct found_mapping *found)
{
	uint64_t start = BPF_CORE_READ(vma, vm_start), end = BPF_CORE_READ(vma, vm_end);
	uint64_t stack = BPF_CORE_READ(vma, vm_mm, start_stack);

	found->file = BPF_CORE_READ(vma, vm_file);
	if (found->file)
		found->kind = MAPPING_FILE;
	else if (start <= BPF_CORE_READ(vma, vm_mm, brk) &&
		 end >= BPF_CORE_READ(vma, vm_mm, start_brk))
		found->kind = MAPPING_HEAP;
	else
		found->kind = start <= stack && stack <= end ? MAPPING_STACK : MAPPING_ANONYMOUS;
	return 0;
}

/* Returns the part of a row's value that is the mapping of ADDRESS. */
static __always_inline uint32_t mapping_of(uint64_t address)
{
	struct found_mapping found = {0};

	/* fails if another thread is changing the mappings */
	bpf_find_vma((void *)bpf_get_current_task_btf(), address, see_mapping, &found, 0);
	return found.kind << FAULT_MAPPING_SHIFT |
	       (found.file ? number_of(found.file) << FAULT_FILE_SHIFT : 0);
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
