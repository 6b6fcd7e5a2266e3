/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pre-order traversal of a call tree without recursion: stacks may be thousands of frames deep. */
#ifndef VIEW_PREORDER_H
#define VIEW_PREORDER_H

#include "model/profile.h"

#include <stdbool.h>

struct preorder {
	const struct profile *p;
	uint32_t node;
	uint32_t depth; /* 0: the root */
	/* weight left of the node; a node's self weight is left of its children */
	uint64_t start;
};

/* Starts at the root. P is finished. */
struct preorder preorder_begin(const struct profile *p);

bool preorder_next(struct preorder *w); /* visits the node's children; false: end of the tree */
bool preorder_over(struct preorder *w); /* skips the node's children */

/* The smallest power of two that scales the total down to at most MAX. */
uint64_t preorder_scale(const struct profile *p, uint64_t max);

/*
 * The node's self weight in units of SCALE. The cumulative weight left of each node is rounded
 * down, not its own weight, so that rounding errors do not add up.
 */
uint64_t preorder_self(const struct preorder *w, uint64_t scale);

#endif
