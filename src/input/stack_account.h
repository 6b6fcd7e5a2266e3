/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of stacks read from text: how many frames have names, how many stacks are cut. */
#ifndef INPUT_STACK_ACCOUNT_H
#define INPUT_STACK_ACCOUNT_H

#include "model/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_account {
	uint64_t named, unnamed; /* frames */
	bool cut, broken;
	uint32_t note;      /* the frame that says so */
	uint32_t outermost; /* the first frame of the stack that is neither note nor task */
};

/* For frames from the root to the leaf. */
void stack_account_add_frame(
	struct stack_account *account, const struct profile *p, uint32_t frame);

/* Adds a stack of WEIGHT to P's account and cuts. */
void account_add_stack(struct profile *p, const struct stack_account *stack, uint64_t weight);

/*
 * Recomputes the fields of P's account from its tree: kept, named, unnamed, cut and broken; also
 * whole, if the account is known, and the cuts.
 */
void profile_recount(struct profile *p);

#endif
