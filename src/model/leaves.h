/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The leaves of stacks, whose weight is the self weight of their functions. The state of a wait is
 * a label, which is in the tree as a note below the leaf. The note's weight counts as the leaf's
 * weight. In a reversed tree, leaves and notes are at the root.
 */
#ifndef MODEL_LEAVES_H
#define MODEL_LEAVES_H

#include "profile.h"

struct leaves {
	const struct profile *p;
	bool *are_states; /* by frame, or NULL if there are no states */
};

/* P must not change until leaves_release(). */
void leaves_init(struct leaves *l, const struct profile *p);
void leaves_release(struct leaves *l);

bool leaves_is_state(const struct leaves *l, uint32_t node);

/* Returns the weight of the stacks whose leaf is NODE, which must not be the root. */
uint64_t leaves_weight(const struct leaves *l, uint32_t node);

#endif
