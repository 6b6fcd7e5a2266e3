/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preorder.h"
#include "lib/util.h"

struct preorder preorder_begin(const struct profile *p)
{
	return (struct preorder){.p = p};
}

static bool go_past(struct preorder *w, uint64_t weight)
{
	const struct profile_node *nodes = w->p->nodes;

	add_capped(&w->start, weight);
	while (w->node && !nodes[w->node].next) {
		w->node = nodes[w->node].parent;
		w->depth--;
	}
	w->node = nodes[w->node].next;
	return w->node != 0;
}

bool preorder_next(struct preorder *w)
{
	const struct profile_node *node = &w->p->nodes[w->node];

	if (!node->child)
		return go_past(w, node->self);
	add_capped(&w->start, node->self);
	w->node = node->child;
	w->depth++;
	return true;
}

bool preorder_over(struct preorder *w)
{
	return go_past(w, w->p->nodes[w->node].total);
}

uint64_t preorder_scale(uint64_t weight, uint64_t max)
{
	uint64_t scale = 1;

	while (weight / scale > max)
		scale *= 2;
	return scale;
}

uint64_t preorder_self(const struct preorder *w, uint64_t scale)
{
	uint64_t end = w->start;

	add_capped(&end, w->p->nodes[w->node].self);
	return end / scale - w->start / scale;
}
