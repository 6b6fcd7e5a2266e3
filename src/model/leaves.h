/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves of stacks, whose weight is the self weight of their functions. The state of a wait is a
 * label, which stands in the tree as a note behind the leaf: its weight is that of the leaf. In a
 * reversed tree they are at the root.
 */
#ifndef MODEL_LEAVES_H
#define MODEL_LEAVES_H

#include "profile.h"

struct leaves {
	const struct profile *p;
	bool *are_states; /* by frame; NULL: there are no states */
};

/* P must not change until leaves_release. */
void leaves_init(struct leaves *l, const struct profile *p);
void leaves_release(struct leaves *l);

bool leaves_is_state(const struct leaves *l, uint32_t node);

/* The weight of the stacks whose leaf is NODE, not 0. */
uint64_t leaves_weight(const struct leaves *l, uint32_t node);

#endif
