/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "patterns.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

void patterns_init(struct patterns *set)
{
	*set = (struct patterns){0};
}

void patterns_release(struct patterns *set)
{
	free(set->list);
	patterns_init(set);
}

void patterns_add(struct patterns *set, const struct pattern *pattern, uint32_t value)
{
	ALLOC_GROW(set->list, set->nr, set->alloc);
	set->list[set->nr++] = (struct patterns_entry){.pattern = pattern, .value = value};
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

static int compare_entries(const void *va, const void *vb)
{
	const struct patterns_entry *a = va, *b = vb;
	int c = compare_bytes(a->pattern->s, a->pattern->plain, b->pattern->s, b->pattern->plain);

	return c ? c : (a->value > b->value) - (a->value < b->value);
}

static bool is_prefix_of(const struct pattern *begin, const struct pattern *p)
{
	return p->plain >= begin->plain && !memcmp(p->s, begin->s, begin->plain);
}

void patterns_sort(struct patterns *set)
{
	if (set->nr)
		qsort(set->list, set->nr, sizeof(*set->list), compare_entries);
	for (uint32_t i = 0; i < set->nr; i++) {
		uint32_t shorter = i; /* the number of the previous entry */

		while (shorter &&
			!is_prefix_of(set->list[shorter - 1].pattern, set->list[i].pattern))
			shorter = set->list[shorter - 1].shorter;
		set->list[i].shorter = shorter;
	}
}

/*
 * Returns the number of the last entry that does not sort after NAME. All entries that are prefixes
 * of NAME are prefixes of this entry, too.
 */
static uint32_t last_not_behind(const struct patterns *set, const char *name, size_t len)
{
	uint32_t low = 0, high = set->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct pattern *p = set->list[middle].pattern;

		if (compare_bytes(p->s, p->plain, name, len) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t matching(const struct patterns *set, uint32_t at, const char *name, size_t len)
{
	while (at && !pattern_matches(set->list[at - 1].pattern, name, len))
		at = set->list[at - 1].shorter;
	return at;
}

uint32_t patterns_first(const struct patterns *set, const char *name, size_t len)
{
	return matching(set, last_not_behind(set, name, len), name, len);
}

uint32_t patterns_next(const struct patterns *set, uint32_t at, const char *name, size_t len)
{
	return matching(set, set->list[at - 1].shorter, name, len);
}

uint32_t patterns_value(const struct patterns *set, uint32_t at)
{
	return set->list[at - 1].value;
}
