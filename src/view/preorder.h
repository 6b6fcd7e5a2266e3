/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree's nodes in pre-order, without recursion: a stack may be thousands of frames deep. */
#ifndef VIEW_PREORDER_H
#define VIEW_PREORDER_H

#include "model/profile.h"

#include <stdbool.h>

struct preorder {
	const struct profile *p;
	uint32_t node;
	uint32_t depth; /* 0: the root */
	/* weight left of the node; a node's self weight lies left of its children */
	uint64_t start;
};

/* Starts at the root. P is finished. */
struct preorder preorder_begin(const struct profile *p);

bool preorder_next(struct preorder *w); /* into the node's children, false at the end of the tree */
bool preorder_over(struct preorder *w); /* past the node's children */

/* The least power of two by which the total has to be divided so that it is at most MAX. */
uint64_t preorder_scale(const struct profile *p, uint64_t max);

/*
 * The node's self weight in units of SCALE. The weight left of each node is what is rounded down,
 * so that all nodes together have that share of the total.
 */
uint64_t preorder_self(const struct preorder *w, uint64_t scale);

#endif
