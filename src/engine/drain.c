/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drain.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void nodes_init(struct drain_nodes *n, uint32_t max)
{
	n->keys = xcalloc(max, sizeof(*n->keys));
	n->ids = xcalloc(max, sizeof(*n->ids));
	n->nr = 0;
	table_init(&n->by_id);
}

static void nodes_release(struct drain_nodes *n)
{
	free(n->keys);
	free(n->ids);
	table_release(&n->by_id);
}

void drain_init(struct drain *d)
{
	nodes_init(&d->now, d->nr_nodes);
	nodes_init(&d->before, d->nr_nodes);
}

void drain_release(struct drain *d)
{
	nodes_release(&d->now);
	nodes_release(&d->before);
}

/* Reads and deletes all entries; how many there were. */
static uint32_t take_all(
	int map, void *keys, size_t key_size, void *values, size_t value_size, uint32_t max)
{
	uint32_t nr = 0, position = 0;
	bool first = true;
	int error = 0;

	while (!error && nr < max) {
		uint32_t n = max - nr;

		error = bpf_map_lookup_and_delete_batch(map, first ? NULL : &position, &position,
			(char *)keys + nr * key_size, (char *)values + nr * value_size, &n, NULL);
		if (error && error != -ENOENT)
			break;
		nr += n;
		first = false;
	}
	return nr;
}

static const struct node_key *find_node(const struct drain *d, uint64_t id)
{
	const uint32_t *at = table_get(&d->now.by_id, id, 0);

	if (at)
		return &d->now.keys[*at];
	at = table_get(&d->before.by_id, id, 0);
	return at ? &d->before.keys[*at] : NULL;
}

/* The stack in sums of what the programs call ID; 0: its nodes are not there. */
static uint32_t stack_of(struct drain *d, uint32_t id)
{
	uint64_t frames[WALK_DEPTH + CHUNK], parent = id;
	uint32_t nr = 0;

	if (!id || id & STACK_COPY)
		return id;
	while (!(parent & NODE_ROOT)) {
		const struct node_key *node = find_node(d, parent);

		if (!node || nr + CHUNK > WALK_DEPTH + CHUNK)
			return 0;
		for (int i = 0; i < CHUNK; i++)
			if (node->frame[i])
				frames[nr++] = node->frame[i];
		parent = node->parent;
	}
	return sums_stack(d->sums, frames, nr, parent & NODE_KERNEL, (enum walk_end)(parent & 255));
}

static void take_nodes(struct drain *d, int map)
{
	struct drain_nodes old = d->before;

	d->before = d->now;
	d->now = old;
	table_release(&d->now.by_id);
	table_init(&d->now.by_id);
	d->now.nr = take_all(map, d->now.keys, sizeof(*d->now.keys), d->now.ids,
		sizeof(*d->now.ids), d->nr_nodes);
	for (uint32_t i = 0; i < d->now.nr; i++) {
		bool is_new;

		*table_put(&d->now.by_id, d->now.ids[i], 0, &is_new) = i;
	}
}

static void take_rows(struct drain *d, int map)
{
	struct row_key *keys = xcalloc(d->nr_rows, sizeof(*keys));
	struct row_value *values = xcalloc(d->nr_rows, sizeof(*values));
	uint32_t nr = take_all(map, keys, sizeof(*keys), values, sizeof(*values), d->nr_rows);

	for (uint32_t i = 0; i < nr; i++) {
		struct row_key key = keys[i];

		key.user = stack_of(d, key.user);
		key.kernel = stack_of(d, key.kernel);
		if ((keys[i].user && !key.user) || (keys[i].kernel && !key.kernel))
			add_capped(&d->lost_bodies, values[i].count);
		else
			sums_add(d->sums, &key, values[i].count, values[i].sum);
	}
	free(keys);
	free(values);
}

void drain_run(struct drain *d)
{
	uint32_t which = *d->epoch & 1;

	__atomic_store_n(d->epoch, *d->epoch + 1, __ATOMIC_SEQ_CST);
	/* changing an array of maps waits until no program holds what it found there */
	bpf_map_update_elem(d->nodes, &which, &d->maps[which].nodes, BPF_ANY);
	take_nodes(d, d->maps[which].nodes);
	take_rows(d, d->maps[which].rows);
}
