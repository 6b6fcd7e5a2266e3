/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many things, such as requests or calls, had each value of a label. A profile has a list of
 * such counts, whose unused elements have no unit.
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
	bool stacks;  /* what is counted has stacks, such as waits, but not requests */
	struct strpool values;
	uint64_t *counts; /* by the values' numbers in the pool, which may exceed alloc */
	size_t alloc;     /* elements of counts */
};

void value_counts_init(struct value_counts *c);
void value_counts_release(struct value_counts *c);

/* Adds NR things that have the value of LEN bytes. */
void value_counts_add(struct value_counts *c, const char *value, size_t len, uint64_t nr);

/* Removes the counts of what has stacks from LIST, which has COUNTED_MAX elements. */
void value_counts_drop_stacks(struct value_counts *list);

/* Makes C, which was initialised, equal to FROM. */
void value_counts_copy(struct value_counts *c, const struct value_counts *from);

/*
 * Adds the counts of another part of the profile. If the units differ, C keeps its own unit, or
 * takes the only one, and becomes partial.
 */
void value_counts_merge(struct value_counts *c, const struct value_counts *from);

#endif
