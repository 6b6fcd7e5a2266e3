/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a text on their way into a profile: frame by frame, leaf first. A stack that was
 * there before costs one look-up, however deep it is.
 */
#ifndef INPUT_STACKS_H
#define INPUT_STACKS_H

#include "stack_account.h"
#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deeper is no stack but a text without ends of stacks; what is beyond is left out and marked. */
enum { STACKS_DEPTH_MAX = 1 << 18 };

/* What a line adds to a stack: the number of its frame, and flags. */
enum {
	ENTRY_FRAME = PROFILE_FRAMES_MAX - 1,
	ENTRY_UNNAMED = PROFILE_FRAMES_MAX,
	ENTRY_UNCOUNTED = 1 << 27, /* neither named nor not: notes, inlined functions */
	ENTRY_CUT = 1 << 28,       /* and [truncated] is its caller */
	ENTRY_MARKED = 1 << 29,    /* it is a note that says so */
	ENTRY_BROKEN = 1 << 30,
};

struct stacks {
	struct profile *p;
	uint32_t *frames; /* of the stack that is being read */
	size_t nr, alloc;
	struct stack_account account;
	bool deep; /* it has reached STACKS_DEPTH_MAX */

	struct stacks_leaf { /* of each different stack, by its hash; node 0: free */
		uint32_t hash, node;
	} * leaves;
	uint32_t nr_leaves, leaves_mask;

	uint32_t first_comm; /* in p's names; 0: no task yet */
	uint64_t first_pid;
	bool several; /* the tasks are of more than one process */
};

void stacks_init(struct stacks *s, struct profile *p); /* P outlives S */
void stacks_release(struct stacks *s);

/* False when the stack becomes too deep by it, the first time. */
bool stacks_push(struct stacks *s, uint32_t entry);
void stacks_pop(struct stacks *s, uint32_t entry); /* undoes it, if the stack is not too deep */
uint32_t stacks_note(struct stacks *s, const char *name); /* the entry of a note (notes.h) */

/* Frames FROM up to TO become of KIND, but for notes and wakers. */
void stacks_set_kind(struct stacks *s, size_t from, size_t to, enum frame_kind kind);

/* Whether a frame is known to be the kernel's, or is where the kernel is entered, by its name. */
bool stacks_is_entry(const struct stacks *s, size_t frame);

/*
 * The frame of a task: COMM, or COMM/TID when TID is not 0. PID 0: not known; then names tell
 * processes apart.
 */
struct stacks_task {
	const char *comm;
	size_t len;
	uint64_t pid, tid;
};
uint32_t stacks_task(struct stacks *s, const struct stacks_task *task);

/*
 * Adds the stack, under the frame ROOT (0: none), and begins anew. Without frames it is [no stack].
 */
void stacks_add(struct stacks *s, uint32_t root, uint64_t weight);
void stacks_forget(struct stacks *s);

#endif
