/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VM stacks of the current task in the BPF programs: the layouts in processes, the walk, and the
 * texts of frames.
 */
#ifndef RUNTIME_VM_BPF_H
#define RUNTIME_VM_BPF_H

#include "engine/bpf/kern/user_stack.h"
#include "vm_sent.h"

#define VM_LIST_BPF
#include "vm_list.h"
#undef VM_LIST_BPF

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, VM_SENT_SETS);
	__uint(map_flags, BPF_F_MMAPABLE); /* for page alignment */
	__type(key, uint32_t);
	__type(value, struct vm_sent_set);
} vm_sent SEC(".maps");

/*
 * ---- by kind of VM: begin a walk, take a step, read a frame's texts ----
 *
 * Kernels before 6.8 verify every global function, also one that is never called. VMs that are not
 * recorded cost them nothing, as the settings are constants for the verifier: each case begins with
 * vm_used(), and so does each global function of a VM.
 */

static __always_inline int vm_begin(struct scratch *s)
{
	switch (s->vm.layout.kind) {
#define VM_BEGIN(KIND, name)                                                                       \
	case VM_##KIND:                                                                            \
		return vm_used(VM_##KIND)                                                          \
			       ? name##_begin_here(&s->vm.walks.name, &s->vm.layout.name)          \
			       : VM_NOT_RUNNING;
		VM_LIST(VM_BEGIN)
	default:
		return VM_NOT_RUNNING;
	}
}

static __always_inline int vm_step(struct scratch *s)
{
	switch (s->vm.layout.kind) {
#define VM_STEP(KIND, name)                                                                        \
	case VM_##KIND:                                                                            \
		return vm_used(VM_##KIND) ? name##_step(&s->vm.walks.name, &s->vm.layout.name)     \
					  : VM_INCONSISTENT;
		VM_LIST(VM_STEP)
	default:
		return VM_INCONSISTENT;
	}
}

/* Reads the texts of FRAME. Returns false if not all of them could be read. */
static __always_inline bool vm_read_texts(struct scratch *s, const struct vm_frame *frame,
	const struct vm_frame *below, union vm_texts *texts)
{
	switch (s->vm.layout.kind) {
#define VM_READ_TEXTS(KIND, name)                                                                  \
	case VM_##KIND:                                                                            \
		return vm_used(VM_##KIND) &&                                                       \
		       name##_texts_here(                                                          \
			       &s->vm.walks.name, &s->vm.layout.name, frame, below, &texts->name);
		VM_LIST(VM_READ_TEXTS)
	default:
		return false;
	}
}

/* Returns whether the walk that has begun is over a coroutine, which native code may have resumed.
 */
__noinline int vm_is_coroutine(uint32_t lane)
{
	struct scratch *s = recorded_by_native() ? my_scratch(lane) : NULL;

	if (!s || !s->walk.vm.frame || s->vm.end != VM_ON)
		return false;
	switch (s->vm.layout.kind) {
#define VM_IS_COROUTINE(KIND, name)                                                                \
	case VM_##KIND:                                                                            \
		return vm_used(VM_##KIND) &&                                                       \
		       name##_is_coroutine_here(&s->vm.walks.name, &s->vm.layout.name);
		VM_LIST(VM_IS_COROUTINE)
	default:
		return false;
	}
}

/* ---- common to all VMs ---- */

static __always_inline bool keep_vm_frame(struct scratch *s, const struct vm_frame *f)
{
	struct vm_words words = vm_pack(f);
	uint32_t nr = s->vm.nr;

	if (nr >= VM_DEPTH)
		return false;
	s->vm.with[nr] = f->with;
	s->frame[PAD + nr * VM_WORDS] = words.what;
	s->frame[PAD + nr * VM_WORDS + 1] = words.at;
	s->vm.nr = nr + 1;
	return true;
}

/* Stores the frame that was found, and takes the next step. Returns 0 if there are more. */
__noinline int take_vm_step(uint32_t lane)
{
	struct scratch *s = vm_scratch(lane);

	if (!s)
		return 1;
	if (s->vm.walks.walk.found && !keep_vm_frame(s, &s->vm.walks.walk.frame)) {
		s->vm.end = VM_CUT;
		return 1;
	}
	if (s->vm.end != VM_ON)
		return 1;
	s->vm.end = vm_step(s);
	return 0;
}

/*
 * Takes the next VM_STRIDE steps. This is a function because a loop is verified once for each state
 * in which it begins.
 */
__noinline int take_vm_steps(uint32_t lane)
{
	for (uint64_t i = 0; i < VM_STRIDE; i++) /* 64 bits, as Linux 5.10 forgets smaller values */
		if (take_vm_step(lane))
			return 1;
	return 0;
}

/* Returns the next outer frame, of type 0 if there is none. */
static __always_inline struct vm_frame frame_below(const struct scratch *s, uint32_t index)
{
	struct vm_words words = {0, 1};

	if (++index >= VM_DEPTH || index >= s->vm.nr)
		return vm_unpack(&words, 0);
	words.what = s->frame[PAD + index * VM_WORDS];
	words.at = s->frame[PAD + index * VM_WORDS + 1];
	return vm_unpack(&words, s->vm.with[index]);
}

/*
 * Returns the flags to send a frame with. At ticks, frames wait for the recorder's next round,
 * unless the ring buffer fills up: to wake the recorder costs more than to read the texts.
 */
static __always_inline uint64_t vm_wakeup(void)
{
	if (!EQUAL_SAMPLES)
		return 0;
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >
			       bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE) / 4
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* Sends frame INDEX with its texts to user space, unless all of them were sent before. */
__noinline int send_vm_frame(uint32_t lane, uint32_t index)
{
	struct scratch *s = vm_scratch(lane);

	if (!s || index >= VM_DEPTH)
		return 0;
	struct vm_new_frame *new = &s->vm.record.frame;

	new->key.words.what = s->frame[PAD + index * VM_WORDS];
	new->key.words.at = s->frame[PAD + index * VM_WORDS + 1];
	uint64_t program = new->key.tgid | (uint64_t) new->key.generation << 32;
	uint64_t key = vm_sent_key(settings.seed + control.forgotten, program, &new->key.words);
	uint32_t at = vm_sent_index(key);
	struct vm_sent_set *sent = bpf_map_lookup_elem(&vm_sent, &at);

	if (!sent || vm_sent_has(sent, key))
		return 0;
	struct vm_frame frame = vm_unpack(&new->key.words, s->vm.with[index]);
	bool whole;

	struct vm_frame below = frame_below(s, index);

	new->what = frame.what;
	whole = vm_read_texts(s, &frame, &below, &new->texts);
	if (!bpf_ringbuf_output(&ring, &s->vm.record, sizeof(s->vm.record), vm_wakeup()) && whole)
		vm_sent_add(sent, key);
	return 0;
}

/* Begins the walk, when the native stack is known. */
__noinline int begin_vm_steps(uint32_t lane)
{
	struct scratch *s = vm_scratch(lane);

	if (!s)
		return 0;
	s->vm.walks.walk.found = false;
	s->vm.walks.walk.state = 0;
	s->vm.walks.walk.op = 0;
	s->vm.walks.walk.with_op = settings.vm_op;
	s->vm.walks.walk.mixed = settings.user;
	s->vm.walks.walk.owner = s->row.tgid;
	s->vm.end = vm_begin(s);
	return 0;
}

static __always_inline void walk_vm(struct scratch *s)
{
	for (int i = 0; i < VM_STEPS_MAX / VM_STRIDE; i++)
		if (take_vm_steps(LANE_EVENT))
			break;
	if (s->vm.end == VM_ON)
		s->vm.end = VM_CUT;
	if (s->vm.end == VM_WHOLE && !s->vm.nr)
		s->vm.end = VM_NOT_RUNNING;
}

/*
 * Sends the next VM_STRIDE frames from FIRST on, as far as they are new in the tree. Returns 1 if
 * there are no more.
 */
__noinline int send_vm_frames(uint32_t lane, uint32_t first)
{
	struct scratch *s = vm_scratch(lane);

	for (uint32_t i = 0; s && i < VM_STRIDE; i++) {
		if (first + i >= s->nr_new / VM_WORDS)
			return 1;
		send_vm_frame(lane, first + i);
	}
	return !s;
}

_Static_assert(VM_NATIVE_THREADS == (int)WALK_THREADS, "");

/* Takes what the native stack tells about the interpreter. */
__noinline int take_native(uint32_t lane)
{
	struct scratch *s = recorded_by_native() ? my_scratch(lane) : NULL;

	if (!s)
		return 0;
	struct vm_native *native = &s->vm.walks.walk.native;
	const struct walk_vm *vm = &s->walk.vm;

	native->frame = vm->frame;
	native->pc = vm->pc;
	native->leaf = vm->leaf;
	native->compiled = vm->compiled;
	native->walked = true;
	native->whole = s->walk.end == WALK_ROOT;
	native->sp = regs_sp(&s->regs);
	native->third = regs_third_argument(&s->regs);
	native->reg[0] = regs_first_argument(&s->regs);
	regs_preserved(&s->regs, &native->reg[1]);
	native->fp = vm->fp;
	native->base = vm->base;
	return 0;
}

/*
 * Takes the threads that have resumed other threads, which are known when the native stack was
 * walked.
 */
__noinline int take_native_threads(uint32_t lane)
{
	struct scratch *s = recorded_by_native() ? my_scratch(lane) : NULL;

	for (int i = 0; s && i < VM_NATIVE_THREADS; i++)
		s->vm.walks.walk.native.threads[i] = s->walk.vm.threads[i];
	return 0;
}

/*
 * Begins the VM walk at the innermost frame of an interpreter in the native stack. The walk over
 * the native stack goes on only for a coroutine.
 */
static __always_inline void begin_by_native(struct scratch *s, bool in_user)
{
	if (!settings.user || (!s->walk.vm.frame && s->walk.end != WALK_ROOT))
		walk_to_vm(s, in_user);
	take_native(LANE_EVENT);
	begin_vm_steps(LANE_EVENT);
	if (s->walk.end == WALK_ON && vm_is_coroutine(LANE_EVENT))
		for (int i = 0; i < VM_NATIVE_DEPTH / LONG_STRIDE; i++)
			if (walk_long_stride())
				break;
	take_native_threads(LANE_EVENT);
}

/*
 * Takes the VM stack of the current task into s->row. Returns false if there is no room. If user
 * stacks are recorded, a thread without a running interpreter has no VM stack.
 */
static __always_inline bool vm_stack(struct scratch *s, bool in_user)
{
	uint32_t tgid = s->row.tgid;
	/* after its exec, a process has new memory before the layout of the last program is dropped
	 */
	const struct vm_layout *layout =
		program_has_started() ? bpf_map_lookup_elem(&vm_layouts, &tgid) : NULL;

	s->vm.nr = 0;
	s->vm.end = VM_NOT_RUNNING;
	s->vm.layout.kind = VM_NONE;
	s->vm.layout.generation = 0;
	if (layout) {
		s->vm.layout = *layout;
		if (recorded_by_native() & VM_BIT(s->vm.layout.kind & 31))
			begin_by_native(s, in_user);
		else
			begin_vm_steps(LANE_EVENT);
		walk_vm(s);
		if (s->vm.end != VM_NOT_RUNNING && s->vm.walks.walk.state && !s->row.state)
			s->row.state = VM_STATE(s->vm.layout.kind, s->vm.walks.walk.state);
	}
	if (settings.vm_op && s->vm.end != VM_NOT_RUNNING)
		s->row.op = s->vm.walks.walk.op;
	if (s->vm.end == VM_NOT_RUNNING && settings.user)
		return true;
	if (s->vm.end != VM_WHOLE && s->vm.end != VM_CUT) {
		struct vm_frame none = {VM_WHAT(VM_NO_FRAME), 0, 0};

		s->vm.nr = 0;
		keep_vm_frame(s, &none);
	}
	s->row.vm = store(LANE_EVENT, s->vm.nr * VM_WORDS,
		NODE_VM_ROOT(s->vm.layout.kind, s->vm.layout.generation, tgid, s->vm.end));
	if (!layout || !s->nr_new)
		return s->row.vm;
	s->vm.record.type = RING_VM_FRAME;
	s->vm.record.frame.key.tgid = tgid;
	s->vm.record.frame.key.kind = s->vm.layout.kind;
	s->vm.record.frame.key.generation = s->vm.layout.generation;
	for (uint32_t i = 0; i < VM_DEPTH; i += VM_STRIDE)
		if (send_vm_frames(LANE_EVENT, i))
			break;
	return s->row.vm;
}

#endif
