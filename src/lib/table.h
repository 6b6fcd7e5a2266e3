/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table from a pair of numbers to a number. */
#ifndef LIB_TABLE_H
#define LIB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
	struct table_slot {
		uint64_t a, b;
		uint32_t value;
		bool used;
	} * slots;
	size_t mask, nr;
};

void table_init(struct table *t);
void table_release(struct table *t);

/*
 * Returns a pointer to the value of (A, B), valid until the next call. If this call has added it,
 * the value is 0. Sets *IS_NEW to whether this call has added it.
 */
uint32_t *table_put(struct table *t, uint64_t a, uint64_t b, bool *is_new);
const uint32_t *table_get(const struct table *t, uint64_t a, uint64_t b); /* or NULL */

#endif
