/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores stacks as nodes, see struct node_key in shared.h. */
#ifndef ENGINE_BPF_KERN_STACK_STORE_H
#define ENGINE_BPF_KERN_STACK_STORE_H

#include "scratch.h"

/*
 * Returns the number of the node in s->key, or 0 if the map is full. Sets *IS_NEW if it was added.
 */
static __always_inline uint64_t node_number(struct scratch *s, uint32_t lane, bool *is_new)
{
	uint32_t which = control.epoch & 1;
	void *map = bpf_map_lookup_elem(&nodes, &which);
	struct counters *count = my_counters(lane);

	*is_new = false;
	if (!map || !count)
		return 0;
	uint64_t *known = bpf_map_lookup_elem(map, &s->key);

	if (known)
		return *known;
	uint64_t id = new_number(lane, count->nodes++);

	*is_new = true;
	if (!bpf_map_update_elem(map, &s->key, &id, BPF_NOEXIST))
		return id;
	known = bpf_map_lookup_elem(map, &s->key); /* another processor was faster */
	return known ? *known : 0;
}

/*
 * Stores a node of the CHUNK words below word LEFT on top of s->key.parent, and makes it the
 * parent. Returns its number, or 0 if there is no room.
 */
__noinline uint64_t store_chunk(uint32_t lane, uint32_t left)
{
	struct scratch *s = my_scratch(lane);
	uint64_t at = UNWIND_BELOW(left, WALK_DEPTH + 1);
	bool is_new;

	if (!s)
		return 0;
	__builtin_memcpy(s->key.frame, &s->frame[PAD - CHUNK + at], sizeof(s->key.frame));
	s->key.parent = node_number(s, lane, &is_new);
	if (is_new && !s->nr_new)
		s->nr_new = at; /* all nodes on top of it may be new, too */
	return s->key.parent;
}

/*
 * Stores the NR frames in s->frame, in the scratch of LANE. Returns the number of the stack, or 0
 * if there is no room.
 */
__noinline uint64_t store(uint32_t lane, uint32_t nr, uint64_t parent)
{
	struct scratch *s = my_scratch(lane);
	uint64_t id = 0;

	if (!s)
		return 0;
	s->nr_new = 0;
	s->key.parent = parent;
	for (uint32_t i = 0; i < WALK_DEPTH && i < nr; i += CHUNK) {
		id = store_chunk(lane, nr - i);
		if (!id)
			break;
	}
	return id;
}

#endif
