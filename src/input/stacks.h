/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds stacks frame by frame, leaf first, and adds them to a profile. A stack that was added
 * before costs one lookup, however deep it is.
 */
#ifndef INPUT_STACKS_H
#define INPUT_STACKS_H

#include "stack_account.h"
#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Deeper stacks are truncated, with a note. They probably come from a text without ends of stacks.
 */
enum { STACKS_DEPTH_MAX = 1 << 18 };

/*
 * An entry of a stack: the number of its frame, and flags. Notes and inlined functions are
 * uncounted.
 */
enum {
	ENTRY_FRAME = PROFILE_FRAMES_MAX - 1,
	ENTRY_UNNAMED = PROFILE_FRAMES_MAX,
	ENTRY_UNCOUNTED = 1 << 27, /* counted neither as named nor as unnamed */
	ENTRY_CUT = 1 << 28,       /* the note [truncated] is to be added as its caller */
	ENTRY_MARKED = 1 << 29,    /* the frame itself is a note [truncated] */
	ENTRY_BROKEN = 1 << 30,
};

struct stacks {
	struct profile *p;
	uint32_t *frames; /* frames of the current stack */
	size_t nr, alloc;
	struct stack_account account;
	bool deep; /* the current stack has reached STACKS_DEPTH_MAX */

	struct stacks_leaf { /* leaf of each different stack, by its hash; node is 0 if free */
		uint32_t hash, node;
	} * leaves;
	uint32_t nr_leaves, leaves_mask;

	uint32_t first_comm; /* in p's names, or 0 before the first task */
	uint64_t first_pid;
	bool several; /* the tasks belong to more than one process */
};

void stacks_init(struct stacks *s, struct profile *p); /* P outlives S */
void stacks_release(struct stacks *s);

/* Pushes an entry. Returns false if the stack has just become too deep. Later calls return true. */
bool stacks_push(struct stacks *s, uint32_t entry);

/* Undoes stacks_push. The stack must not be too deep. */
void stacks_pop(struct stacks *s, uint32_t entry);

/* Returns the entry of a note (notes.h). */
uint32_t stacks_note(struct stacks *s, const char *name);

/* Sets the kind of frames FROM up to TO, except for notes and wakers. */
void stacks_set_kind(struct stacks *s, size_t from, size_t to, enum frame_kind kind);

/* Whether a frame is of kind kernel or has the name of a kernel entry point. */
bool stacks_is_entry(const struct stacks *s, size_t frame);

/*
 * The frame of a task: COMM, or COMM/TID if TID is not 0. If PID is 0 (unknown), processes are
 * distinguished by COMM.
 */
struct stacks_task {
	const char *comm;
	size_t len;
	uint64_t pid, tid;
};
uint32_t stacks_task(struct stacks *s, const struct stacks_task *task);

/*
 * Adds the stack to the profile, under the frame ROOT unless it is 0, and starts a new one. A stack
 * without frames gets the note [no stack].
 */
void stacks_add(struct stacks *s, uint32_t root, uint64_t weight);
void stacks_forget(struct stacks *s);

#endif
