/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of stacks read from text: how many frames have names, how many stacks are truncated.
 */
#ifndef INPUT_STACK_ACCOUNT_H
#define INPUT_STACK_ACCOUNT_H

#include "model/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_account {
	uint64_t named, unnamed; /* number of frames */
	bool cut, broken;
	uint32_t note;      /* the note that says so */
	uint32_t outermost; /* the first frame of the stack that is neither note nor task */
};

/* Adds a frame of a stack. Frames are added from the root to the leaf. */
void stack_account_add_frame(
	struct stack_account *account, const struct profile *p, uint32_t frame);

/* Adds a stack of WEIGHT to P's account and cuts. */
void account_add_stack(struct profile *p, const struct stack_account *stack, uint64_t weight);

/*
 * Recomputes the fields kept, named, unnamed, cut and broken of P's account, and P's cuts, from the
 * tree. Also recomputes the field whole if the account is known.
 */
void profile_recount(struct profile *p);

#endif
