/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of patterns, searched by the prefix of a name. */
#ifndef LIB_PATTERNS_H
#define LIB_PATTERNS_H

#include "pattern.h"

#include <stdint.h>

struct patterns {
	struct patterns_entry {
		const struct pattern *pattern;
		uint32_t value;
		uint32_t shorter; /* number of the next shorter prefix, or 0 */
	} * list;                 /* sorted by their literal prefixes */
	uint32_t nr, alloc;
};

void patterns_init(struct patterns *set);
void patterns_release(struct patterns *set);

/* PATTERN must outlive the set. */
void patterns_add(struct patterns *set, const struct pattern *pattern, uint32_t value);

/* To be called after the last patterns_add. */
void patterns_sort(struct patterns *set);

/*
 * Return the number of the first pattern that matches the LEN bytes of NAME, and of the next one
 * after AT, or 0 if there are no more. The order is undefined.
 */
uint32_t patterns_first(const struct patterns *set, const char *name, size_t len);
uint32_t patterns_next(const struct patterns *set, uint32_t at, const char *name, size_t len);
uint32_t patterns_value(const struct patterns *set, uint32_t at);

#endif
