/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pre-order traversal of a call tree without recursion: stacks may be thousands of frames deep. */
#ifndef VIEW_PREORDER_H
#define VIEW_PREORDER_H

#include "model/profile.h"

#include <stdbool.h>

struct preorder {
	const struct profile *p;
	uint32_t node;
	uint32_t depth; /* 0 for the root */
	/* weight to the left of the node; a node's self weight is to the left of its children */
	uint64_t start;
};

/* Starts at the root. P is finished. */
struct preorder preorder_begin(const struct profile *p);

/*
 * Goes to the next node, which is a child of the node if it has any. Returns false at the end of
 * the tree.
 */
bool preorder_next(struct preorder *w);
/* Does the same, but skips the node's children. */
bool preorder_over(struct preorder *w);

/* Returns the smallest power of two that scales WEIGHT down to at most MAX. */
uint64_t preorder_scale(uint64_t weight, uint64_t max);

/*
 * Returns the node's self weight in units of SCALE. Rounding down the cumulative weight to the left
 * of each node, instead of the node's own weight, keeps rounding errors from adding up.
 */
uint64_t preorder_self(const struct preorder *w, uint64_t scale);

#endif
