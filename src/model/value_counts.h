/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many things, such as requests, had each value of a label. */
#ifndef MODEL_VALUE_COUNTS_H
#define MODEL_VALUE_COUNTS_H

#include "lib/strpool.h"

#include <stddef.h>
#include <stdint.h>

struct value_counts {
	char *unit; /* what is counted: "requests"; NULL: nothing */
	struct strpool values;
	uint64_t *counts; /* of the values, by their numbers in the pool, … */
	size_t alloc;     /* … as far as these go */
};

void value_counts_init(struct value_counts *c);
void value_counts_release(struct value_counts *c);

/* Adds NR things that have the value of LEN bytes. */
void value_counts_add(struct value_counts *c, const char *value, size_t len, uint64_t nr);

/* Adds what FROM counts, if that is the same, or C counts nothing yet. */
void value_counts_add_all(struct value_counts *c, const struct value_counts *from);

#endif
