/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds stacks frame by frame, leaf first, and adds them to a profile. A stack that was added
 * before costs one lookup, however deep it is.
 */
#ifndef INPUT_STACKS_H
#define INPUT_STACKS_H

#include "stack_account.h"
#include "model/profile.h"
#include "model/task_filter.h"

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
	const struct label_filter *tasks; /* the task filter (model/task_filter.h), or NULL */
	uint32_t *frames;                 /* frames of the current stack */
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

/* P and TASKS, which may be NULL, outlive S. */
void stacks_init(struct stacks *s, struct profile *p, const struct label_filter *tasks);
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

/* The root of stacks that the task filter does not select. */
#define STACKS_OTHER_TASK UINT32_MAX

/*
 * Returns the frame of a task, which is COMM, or COMM/ID unless ID is 0. If the PID is unknown,
 * processes are distinguished by their names. Returns STACKS_OTHER_TASK if the filter does not
 * select the task.
 */
uint32_t stacks_task(struct stacks *s, const struct task *task, uint64_t id);

/*
 * Adds the stack to the profile, under the frame ROOT unless it is 0, and starts a new one. A stack
 * without frames gets the note [no stack]. With a task filter, only stacks under the frames of
 * tasks are added.
 */
void stacks_add(struct stacks *s, uint32_t root, uint64_t weight);
void stacks_forget(struct stacks *s);

#endif
