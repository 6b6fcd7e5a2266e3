/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many things there were: of things without stacks, such as requests, how many had each value
 * of a label; of others, such as calls and waits, how many had the stack of each node of the call
 * tree. A profile has a list of such counts, whose unused elements have no unit.
 */
#ifndef MODEL_VALUE_COUNTS_H
#define MODEL_VALUE_COUNTS_H

#include "lib/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTED_MAX = 3 };

struct value_counts {
	char *unit;   /* what is counted, such as "requests", or NULL if nothing is */
	bool partial; /* a part of the profile has no such counts */
	bool stacks;  /* the things have stacks: of_node has the counts, and not values */
	struct strpool values;
	uint64_t *counts; /* by the values' numbers in the pool, which may exceed alloc */
	size_t alloc;     /* elements of counts */
	uint64_t *of_node;
	uint32_t nr_nodes; /* elements of of_node */
};

void value_counts_init(struct value_counts *c);
void value_counts_release(struct value_counts *c);

/* Adds NR things that have the value of LEN bytes. */
void value_counts_add(struct value_counts *c, const char *value, size_t len, uint64_t nr);

/* Adds NR things with the stack of NODE. */
void value_counts_add_node(struct value_counts *c, uint32_t node, uint64_t nr);

/* Returns how many things had the stack of NODE. */
uint64_t value_counts_of_node(const struct value_counts *c, uint32_t node);

/* Removes the counts of NODE. */
void value_counts_clear_node(struct value_counts *c, uint32_t node);

/* Adds the count of node OTHER of FROM to NODE, unless the units differ. FROM may be C. */
void value_counts_add_from(
	struct value_counts *c, uint32_t node, const struct value_counts *from, uint32_t other);

/* Makes C, which was initialised, equal to FROM, except for the counts of nodes. */
void value_counts_copy(struct value_counts *c, const struct value_counts *from);

/*
 * Adds the values' counts of another part of the profile. If the units differ, C keeps its own
 * unit, or takes the only one, and becomes partial.
 */
void value_counts_merge(struct value_counts *c, const struct value_counts *from);

#endif
