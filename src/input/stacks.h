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

/* Deeper stacks, likely a text without ends of stacks, are truncated, with a note. */
enum { STACKS_DEPTH_MAX = 1 << 18 };

/* An entry of a stack: the number of its frame, and flags. */
enum {
	ENTRY_FRAME = PROFILE_FRAMES_MAX - 1,
	ENTRY_UNNAMED = PROFILE_FRAMES_MAX,
	ENTRY_UNCOUNTED = 1 << 27, /* neither named nor not: notes, inlined functions */
	ENTRY_CUT = 1 << 28,       /* [truncated] is to be added as its caller */
	ENTRY_MARKED = 1 << 29,    /* it is itself a note [truncated] */
	ENTRY_BROKEN = 1 << 30,
};

struct stacks {
	struct profile *p;
	uint32_t *frames; /* of the current stack */
	size_t nr, alloc;
	struct stack_account account;
	bool deep; /* the current stack has reached STACKS_DEPTH_MAX */

	struct stacks_leaf { /* of each different stack, by its hash; node 0: free */
		uint32_t hash, node;
	} * leaves;
	uint32_t nr_leaves, leaves_mask;

	uint32_t first_comm; /* in p's names; 0: no task yet */
	uint64_t first_pid;
	bool several; /* the tasks belong to more than one process */
};

void stacks_init(struct stacks *s, struct profile *p); /* P outlives S */
void stacks_release(struct stacks *s);

/* False if the stack has just become too deep; later calls return true. */
bool stacks_push(struct stacks *s, uint32_t entry);
void stacks_pop(struct stacks *s, uint32_t entry); /* undoes it; not for stacks that are too deep */
uint32_t stacks_note(struct stacks *s, const char *name); /* the entry of a note (notes.h) */

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
 * Adds the stack to the profile, under the frame ROOT (0: none), and starts a new one. A stack
 * without frames is [no stack].
 */
void stacks_add(struct stacks *s, uint32_t root, uint64_t weight);
void stacks_forget(struct stacks *s);

#endif
