/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many things, such as requests, had each value of a label. */
#ifndef MODEL_VALUE_COUNTS_H
#define MODEL_VALUE_COUNTS_H

#include "lib/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_counts {
	char *unit;   /* what is counted: "requests"; NULL: nothing */
	bool partial; /* a part of the profile does not count that */
	struct strpool values;
	uint64_t *counts; /* of the values, by their numbers in the pool, … */
	size_t alloc;     /* … as far as these go */
};

void value_counts_init(struct value_counts *c);
void value_counts_release(struct value_counts *c);

/* Adds NR things that have the value of LEN bytes. */
void value_counts_add(struct value_counts *c, const char *value, size_t len, uint64_t nr);

/* Makes C, which was initialised, the same as FROM. */
void value_counts_copy(struct value_counts *c, const struct value_counts *from);

/*
 * Adds what another part of the profile counts. Of two units C keeps its own, or the only one, and
 * becomes partial.
 */
void value_counts_merge(struct value_counts *c, const struct value_counts *from);

#endif
