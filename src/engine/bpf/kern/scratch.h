/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The working memory of a program, by lane, and numbers and places that are unique to a lane or a
 * processor.
 */
#ifndef ENGINE_BPF_KERN_SCRATCH_H
#define ENGINE_BPF_KERN_SCRATCH_H

#include "maps.h"

enum {
	PAD = CHUNK,
	FRAMES = PAD + WALK_DEPTH,
	WINDOW = 512,          /* bytes of a stack that are read at once */
	STRIDE = LABEL_PASSED, /* steps of a walk per function call */
	LONG_STRIDE = 64,      /* steps per call of the function that calls this one */
	VM_STRIDE = 128,       /* steps of a walk over a VM stack per function call */
	VM_NATIVE_DEPTH = 256, /* native frames up to an interpreter's frame, and below it */
	UNREAD_IDS = 64,       /* a power of two */
	UNREAD_TIMES = 255,
	PAGE = 4096,
};

/*
 * The working memory of a program, which is too large for the BPF stack. What interpreters and
 * labels keep in it is in runtime/vm_layout.h and label/label_layout.h.
 */
struct scratch {
	struct walk walk; /* must be first: see read_stack() */
	uint64_t window[WINDOW / 8];
	uint64_t window_at;  /* address, or 0 if the window is empty */
	uint64_t checked_at; /* address of the build-id that was checked last */
	struct space space;
	bool is_current;         /* the list of mappings is up to date */
	bool lacks_page;         /* it lacks one executable page: see space_lacks_page() */
	bool to_vm;              /* the native stack is walked only up to the interpreter's frame */
	struct unwind_rule rule; /* for compiled_code.h */
	uint32_t lane;           /* lane of this scratch, for compiled_code.h */
	struct pt_regs___kernel regs;

	struct row_key row;
	struct span span;
	bool in_use; /* used by a program that may be preempted, see claim_scratch() */

	struct node_key key;
	uint32_t nr_new; /* how many words at the leaf of the last stored stack are new */

	struct ring_copy copy;
	struct copying {
		uint64_t to;       /* address up to which the stack was copied */
		uint64_t end;      /* address at which copying ends */
		bool end_is_known; /* it is the end of the stack, not just the limit of copies */
		bool ring_full;    /* the copy is incomplete */
	} copying;
	struct delayed first;
	bool delayed;         /* the next stacks of the thread count for this tick */
	uint64_t next_return; /* address of a struct return_instance, see return_probes.h, or 0 */

	struct vm_run vm;
	struct label_search label;
	uint64_t frame[FRAMES + CHUNK]; /* PAD zeros, then a stack */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LANES);
	__type(key, uint32_t); /* enum lane */
	__type(value, struct scratch);
} scratch SEC(".maps");

static __always_inline struct scratch *my_scratch(uint32_t lane)
{
	return bpf_map_lookup_elem(&scratch, &lane);
}

/* Returns NULL if no VM stacks are recorded. */
static __always_inline struct scratch *vm_scratch(uint32_t lane)
{
	return recorded_vms() ? my_scratch(lane) : NULL;
}

/* Returns NULL if no labels are recorded. */
static __always_inline struct scratch *label_scratch(uint32_t lane)
{
	return records_labels() ? my_scratch(lane) : NULL;
}

/*
 * Claims the scratch for a uprobe. Kernels with full or lazy preemption may switch to another
 * thread in the middle of a uprobe's program, and that thread may run such a program on the same
 * CPU. Returns false if the scratch is in use.
 */
static __always_inline bool claim_scratch(struct scratch *s)
{
	if (s->in_use)
		return false;
	s->in_use = true;
	barrier();
	return true;
}

static __always_inline void release_scratch(struct scratch *s)
{
	barrier();
	s->in_use = false;
}

static __always_inline struct counters *my_counters(uint32_t lane)
{
	uint32_t at = bpf_get_smp_processor_id() * LANES + lane;

	return bpf_map_lookup_elem(&counters, &at);
}

/* Returns a unique number. NR is how many numbers this lane has allocated before. */
static __always_inline uint64_t new_number(uint32_t lane, uint64_t nr)
{
	return (uint64_t)(bpf_get_smp_processor_id() * LANES + lane) << NUMBER_BITS | (nr + 1);
}

/*
 * Returns the index of KEY in array GROUP of consecutive arrays with NR slots each. NR is a power
 * of two up to 4096.
 */
static __always_inline uint32_t slot_in(uint64_t key, uint32_t nr, uint32_t group)
{
	uint32_t at = key * 0x9e3779b97f4a7c15ULL >> 52;

	return (at & (nr - 1)) + group * nr;
}

/* Returns the index of KEY in this CPU's array of NR slots. */
static __always_inline uint32_t cpu_slot(uint64_t key, uint32_t nr)
{
	return slot_in(key, nr, bpf_get_smp_processor_id());
}

#endif
