/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks CPython's stacks, one frame per step. The same code runs in the kernel (BPF) and in user
 * space. There is no recursion, and every read may fail. The includer defines VM_READ, see
 * vm_walk.h,
 *
 *	struct python_cached_thread *PYTHON_CACHED_THREAD(struct python_walk *w)
 *
 * which returns the cache entry for w->thread, or NULL if there is no cache, and
 *
 *	void PYTHON_SEARCH(struct python_walk *w, const struct python_layout *l)
 *
 * which calls python_search_step() until it returns nonzero. The structures come from CPython's
 * pystate.h, frameobject.h, pycore_frame.h and code.h.
 */
#ifndef RUNTIME_PYTHON_PYTHON_STEP_H
#define RUNTIME_PYTHON_PYTHON_STEP_H

#include "python_frame.h"
#include "python_layout.h"

enum { PYTHON_OWNED_BY_C = 3 }; /* values of a frame's owner from FRAME_OWNED_BY_CSTACK on */
enum { PYTHON_ACTIVE = 16 };    /* the bit `active` of a thread's status: it has the GIL */

static inline int python_pointer(struct python_walk *w, uint64_t *to, uint64_t address)
{
	return VM_READ(w, to, sizeof(*to), address);
}

static inline uint64_t python_of_frame(const struct python_walk *w, uint32_t offset)
{
	return w->frame[offset / 8 & 15];
}

static inline uint64_t python_of_code(const struct python_walk *w, uint32_t offset)
{
	return offset < sizeof(w->code) ? w->code[offset / 8] : 0;
}

/* ---- the state of a thread ---- */

/* Returns the innermost frame of the thread state STATE, or 0 if there is none. */
static inline uint64_t python_current(
	struct python_walk *w, const struct python_layout *l, uint64_t state)
{
	const struct python_shape *s = &l->shape;
	uint64_t frame;

	if (python_pointer(w, &frame, state + s->thread_frame) || !frame)
		return 0;
	if (s->cframe_frame != PYTHON_NONE && python_pointer(w, &frame, frame + s->cframe_frame))
		return 0;
	return frame;
}

/* Ends the search without a state that has a frame. */
static inline int python_search_end(struct python_walk *w)
{
	w->state = w->idle;
	return 1;
}

/*
 * Looks at the next thread state or interpreter. Returns nonzero at the end of the search; w->state
 * is then the state of w->thread, or 0 if it has none. A state with a frame is preferred, and of
 * the newest interpreter, in which a thread is that runs several.
 */
static inline int python_search_step(struct python_walk *w, const struct python_layout *l)
{
	const struct python_shape *s = &l->shape;
	uint64_t id;

	if (w->state) {
		if (python_pointer(w, &id, w->state + s->thread_id))
			return python_search_end(w);
		if (id == w->thread) {
			w->at = python_current(w, l, w->state);
			if (w->at)
				return 1;
			if (!w->idle)
				w->idle = w->state;
		}
		if (python_pointer(w, &w->state, w->state + s->thread_next))
			return python_search_end(w);
		return 0;
	}
	if (!w->next || python_pointer(w, &w->state, w->next + s->interpreter_threads) ||
		python_pointer(w, &w->next, w->next + s->interpreter_next))
		return python_search_end(w);
	return 0;
}

/* Returns the newest thread state of the newest interpreter, or 0; sets w->next to the latter. */
static inline uint64_t python_newest(struct python_walk *w, const struct python_layout *l)
{
	uint64_t state;

	w->next = 0;
	if (python_pointer(w, &w->next, l->interpreters) || !w->next ||
		python_pointer(w, &state, w->next + l->shape.interpreter_threads))
		return 0;
	return state;
}

/* Sets w->at to the frame of the state in C. Returns false if that is not this thread's, or idle.
 */
static inline bool python_take_cached(
	struct python_walk *w, const struct python_layout *l, const struct python_cached_thread *c)
{
	uint64_t id;

	if (!c->state || python_pointer(w, &id, c->state + l->shape.thread_id) || id != w->thread)
		return false;
	w->at = python_current(w, l, c->state);
	return w->at;
}

/*
 * Sets w->at to the innermost frame of w->thread, or to 0 if it has none. The memory of a cached
 * state may have been freed when its thread ended, and this thread has the same address; the list
 * has another beginning then.
 */
static inline void python_find_frame(struct python_walk *w, const struct python_layout *l)
{
	struct python_cached_thread *c = PYTHON_CACHED_THREAD(w);
	bool known = c && c->thread == w->thread && c->owner == w->vm.owner;
	uint64_t newest;

	if (known && python_take_cached(w, l, c)) {
		w->state = c->state;
		return;
	}
	newest = python_newest(w, l);
	if (known && newest == c->newest && c->misses++ < PYTHON_MISSES_MAX)
		return;
	PYTHON_SEARCH(w, l);
	if (c)
		*c = (struct python_cached_thread){w->thread, w->state, newest, w->vm.owner, 0};
}

/* ---- the GIL ---- */

/* Returns whether the interpreter of w->state collects garbage. */
static inline bool python_collects(struct python_walk *w, const struct python_shape *s)
{
	uint64_t interpreter;
	uint32_t collects;

	return s->interpreter_collects &&
	       !python_pointer(w, &interpreter, w->state + s->thread_interpreter) &&
	       !VM_READ(w, &collects, sizeof(collects), interpreter + s->interpreter_collects) &&
	       collects;
}

/* Sets *HAS to whether w->state has the GIL. Returns false if that is not known. */
static inline bool python_has_gil(struct python_walk *w, const struct python_layout *l, bool *has)
{
	const struct python_shape *s = &l->shape;
	uint64_t current;
	uint32_t status;

	if (l->current) {
		if (python_pointer(w, &current, l->current))
			return false;
		*has = current == w->state;
		return true;
	}
	if (!s->thread_status || VM_READ(w, &status, sizeof(status), w->state + s->thread_status))
		return false;
	*has = status & PYTHON_ACTIVE;
	return true;
}

/* Returns what the thread with the state w->state does. */
static inline enum python_state python_state(struct python_walk *w, const struct python_layout *l)
{
	const struct python_shape *s = &l->shape;
	bool has = false, known = python_has_gil(w, l, &has);

	if (known && !has)
		return PYTHON_STATE_FREE;
	if ((known || !s->thread_status) && python_collects(w, s))
		return PYTHON_STATE_COLLECTS;
	return known ? PYTHON_STATE_HOLDS : PYTHON_STATE_UNKNOWN;
}

/*
 * Begins the walk W, whose mixed is set, in the thread with the thread pointer THREAD. Returns what
 * python_step() returns.
 */
static inline int python_begin(
	struct python_walk *w, const struct python_layout *l, uint64_t thread)
{
	w->vm.found = false;
	w->nr_steps = 0;
	w->at = w->state = w->idle = 0;
	w->thread = thread;
	python_find_frame(w, l);
	if (!w->at)
		return VM_NOT_RUNNING;
	w->vm.state = python_state(w, l);
	return VM_ON;
}

/* ---- frames ---- */

static inline uint64_t python_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* Reads the code object CODE. Returns false if there is none. */
static inline bool python_read_code(
	struct python_walk *w, const struct python_layout *l, uint64_t code)
{
	const struct python_shape *s = &l->shape;

	return code && s->code_size <= sizeof(w->code) &&
	       !VM_READ(w, w->code, s->code_size, code) &&
	       python_of_code(w, s->object_type) == l->code_type;
}

static inline uint32_t python_first_line(const struct python_walk *w, const struct python_shape *s)
{
	return (uint32_t)(python_of_code(w, s->code_first_line) >> s->code_first_line % 8 * 8);
}

/*
 * Returns where the instructions begin that the frame runs. Without a GIL, each thread has a copy
 * of its own, which is in an array after its size; the first one is in the code object.
 */
static inline uint64_t python_instructions(
	struct python_walk *w, const struct python_shape *s, uint64_t code)
{
	uint64_t copies, at;
	uint32_t number;

	if (!s->code_copies)
		return code + s->code_instructions;
	number = (uint32_t)(python_of_frame(w, s->frame_copy) >> s->frame_copy % 8 * 8);
	if (!number)
		return code + s->code_instructions;
	if (python_pointer(w, &copies, code + s->code_copies) ||
		python_pointer(w, &at, copies + 8 + (uint64_t)number * 8))
		return python_of_frame(w, s->frame_instruction);
	return at;
}

/* Returns the offset of the frame's last instruction, plus 2. */
static inline uint64_t python_offset(
	struct python_walk *w, const struct python_shape *s, uint64_t code)
{
	uint64_t word = python_of_frame(w, s->frame_instruction);

	if (s->code_instructions != PYTHON_NONE)
		return word - python_instructions(w, s, code) + 2;
	return (uint64_t)((int64_t)(int32_t)word * s->unit + 2);
}

static inline uint64_t python_place(
	struct python_walk *w, const struct python_shape *s, uint64_t code)
{
	uint64_t hash =
		python_mix(python_of_code(w, s->code_name), python_of_code(w, s->code_file));

	hash = python_mix(hash, python_of_code(w, s->code_lines));
	hash = python_mix(hash, python_first_line(w, s));
	return hash << PYTHON_OFFSET | (python_offset(w, s, code) & ((1ULL << PYTHON_OFFSET) - 1));
}

/*
 * Returns whether the code is not the program's: CPython calls __init__ of a new object by code of
 * its own, whose file is its name.
 */
static inline bool python_is_helper(const struct python_walk *w, const struct python_shape *s)
{
	return s->shims && python_of_code(w, s->code_file) == python_of_code(w, s->code_name);
}

/* The last step leaves the outermost frame. */
static inline int python_go_on(struct python_walk *w, uint64_t previous)
{
	w->at = previous;
	return previous ? VM_ON : VM_WHOLE;
}

/*
 * Takes the next step. Returns VM_ON, or how the walk ended; in either case w->vm.found tells
 * whether there is a frame.
 */
static inline int python_step(struct python_walk *w, const struct python_layout *l)
{
	const struct python_shape *s = &l->shape;
	uint64_t code, previous;
	uint8_t entry;

	w->vm.found = false;
	if (w->nr_steps++ >= VM_STEPS_MAX || s->frame_size > sizeof(w->frame) ||
		VM_READ(w, w->frame, s->frame_size, w->at))
		return VM_INCONSISTENT;
	previous = python_of_frame(w, s->frame_previous);
	entry = (uint8_t)(python_of_frame(w, s->frame_entry) >> s->frame_entry % 8 * 8);
	if (s->shims && entry >= PYTHON_OWNED_BY_C) {
		w->vm.found = w->vm.mixed;
		w->vm.frame = (struct vm_frame){VM_WHAT(PYTHON_SHIM), 0, 0};
		return python_go_on(w, previous);
	}
	code = python_of_frame(w, s->frame_code) & ~7ULL &
	       VM_ADDRESS; /* the lowest bits are tags */
	if (!python_read_code(w, l, code))
		return VM_INCONSISTENT;
	w->vm.found = !python_is_helper(w, s);
	w->vm.frame =
		(struct vm_frame){VM_WHAT(PYTHON_FUNCTION) | code, 0, python_place(w, s, code)};
	if (!s->shims && (s->frame_entry == PYTHON_NONE || entry))
		w->vm.frame.what |= PYTHON_BEGINS;
	return python_go_on(w, previous);
}

#endif
