/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many patterns, of which those that match a name are found by what it begins with. */
#ifndef LIB_PATTERNS_H
#define LIB_PATTERNS_H

#include "pattern.h"

#include <stdint.h>

struct patterns {
	struct patterns_entry {
		const struct pattern *pattern;
		uint32_t value;
		uint32_t shorter; /* the next that a name may match, too; a number as below */
	} * list;                 /* by their plain beginnings, once they are sorted */
	uint32_t nr, alloc;
};

void patterns_init(struct patterns *set);
void patterns_release(struct patterns *set);

/* PATTERN outlives the set. */
void patterns_add(struct patterns *set, const struct pattern *pattern, uint32_t value);

/* To be called when all are there. */
void patterns_sort(struct patterns *set);

/*
 * The number of a pattern that matches the LEN bytes of NAME, and of the next after AT; 0: there is
 * none. In no order that could be relied upon.
 */
uint32_t patterns_first(const struct patterns *set, const char *name, size_t len);
uint32_t patterns_next(const struct patterns *set, uint32_t at, const char *name, size_t len);
uint32_t patterns_value(const struct patterns *set, uint32_t at);

#endif
