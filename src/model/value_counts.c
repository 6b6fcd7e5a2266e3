/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "value_counts.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

void value_counts_init(struct value_counts *c)
{
	*c = (struct value_counts){0};
	strpool_init(&c->values);
}

void value_counts_release(struct value_counts *c)
{
	free(c->unit);
	free(c->counts);
	free(c->of_node);
	strpool_release(&c->values);
	*c = (struct value_counts){0};
}

/* Returns the count of the value, which is 0 if it is new. */
static uint64_t *count_of(struct value_counts *c, const char *value, size_t len)
{
	uint32_t id = strpool_add(&c->values, value, len);
	size_t had = c->alloc;

	if (id >= had) {
		c->alloc = 2 * (size_t)id + 16;
		c->counts = xrealloc(c->counts, c->alloc, sizeof(*c->counts));
		memset(c->counts + had, 0, (c->alloc - had) * sizeof(*c->counts));
	}
	return &c->counts[id];
}

void value_counts_add(struct value_counts *c, const char *value, size_t len, uint64_t nr)
{
	add_capped(count_of(c, value, len), nr);
}

static void add_counts(struct value_counts *c, const struct value_counts *from)
{
	for (uint32_t i = 0; i < from->values.nr && i < from->alloc; i++)
		if (from->counts[i])
			value_counts_add(c, strpool_get(&from->values, i),
				strpool_len(&from->values, i), from->counts[i]);
}

void value_counts_add_node(struct value_counts *c, uint32_t node, uint64_t nr)
{
	uint32_t had = c->nr_nodes;

	if (node >= had) {
		c->nr_nodes = 2 * node + 1024;
		c->of_node = xrealloc(c->of_node, c->nr_nodes, sizeof(*c->of_node));
		memset(c->of_node + had, 0, (c->nr_nodes - had) * sizeof(*c->of_node));
	}
	add_capped(&c->of_node[node], nr);
}

uint64_t value_counts_of_node(const struct value_counts *c, uint32_t node)
{
	return node < c->nr_nodes ? c->of_node[node] : 0;
}

void value_counts_clear_node(struct value_counts *c, uint32_t node)
{
	if (node < c->nr_nodes)
		c->of_node[node] = 0;
}

void value_counts_add_from(
	struct value_counts *c, uint32_t node, const struct value_counts *from, uint32_t other)
{
	uint64_t nr = value_counts_of_node(from, other);

	if (nr && (!c->unit || !from->unit || !strcmp(c->unit, from->unit)))
		value_counts_add_node(c, node, nr);
}

void value_counts_copy(struct value_counts *c, const struct value_counts *from)
{
	uint64_t *of_node = c->of_node;
	uint32_t nr_nodes = c->nr_nodes;

	c->of_node = NULL;
	value_counts_release(c);
	value_counts_init(c);
	c->of_node = of_node;
	c->nr_nodes = nr_nodes;
	c->unit = from->unit ? xstrdup(from->unit) : NULL;
	c->partial = from->partial;
	c->stacks = from->stacks;
	add_counts(c, from);
}

void value_counts_merge(struct value_counts *c, const struct value_counts *from)
{
	bool same = c->unit && from->unit ? !strcmp(c->unit, from->unit) : !c->unit == !from->unit;

	c->partial |= from->partial || !same;
	c->stacks |= from->stacks;
	if (!c->unit && from->unit)
		c->unit = xstrdup(from->unit);
	else if (!same)
		return;
	add_counts(c, from);
}
