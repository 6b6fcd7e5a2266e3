/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leaves.h"
#include "lib/util.h"
#include "waits.h"

#include <stdlib.h>

static bool is_state_frame(const struct profile *p, uint32_t frame)
{
	size_t len;
	const char *name = profile_name(p, frame, &len);

	return p->frames[frame].kind == FRAME_NOTE && wait_is_note(name, len);
}

void leaves_init(struct leaves *l, const struct profile *p)
{
	bool any = false;

	*l = (struct leaves){p, xcalloc(p->nr_frames, sizeof(*l->are_states))};
	for (uint32_t i = 1; i < p->nr_frames; i++)
		any |= l->are_states[i] = is_state_frame(p, i);
	if (!any)
		leaves_release(l);
}

void leaves_release(struct leaves *l)
{
	free(l->are_states);
	l->are_states = NULL;
}

/* A note without a function above it is a leaf like any other frame. */
bool leaves_is_state(const struct leaves *l, uint32_t node)
{
	const struct profile_node *n = &l->p->nodes[node];

	if (!l->are_states || !l->are_states[n->frame])
		return false;
	return l->p->reversed ? !n->parent && n->child : n->parent && !n->child;
}

static uint64_t weight_reversed(const struct leaves *l, uint32_t node)
{
	const struct profile_node *n = &l->p->nodes[node];

	if (leaves_is_state(l, node))
		return n->self;
	return !n->parent || leaves_is_state(l, n->parent) ? n->total : 0;
}

uint64_t leaves_weight(const struct leaves *l, uint32_t node)
{
	const struct profile_node *nodes = l->p->nodes;
	uint64_t sum = nodes[node].self;

	if (l->p->reversed)
		return weight_reversed(l, node);
	if (!l->are_states)
		return sum;
	if (leaves_is_state(l, node))
		return 0;
	for (uint32_t c = nodes[node].child; c; c = nodes[c].next)
		if (leaves_is_state(l, c))
			add_capped(&sum, nodes[c].total);
	return sum;
}
