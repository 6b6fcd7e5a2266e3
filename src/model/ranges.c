/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranges.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

void ranges_init(struct ranges *r)
{
	*r = (struct ranges){0};
	strpool_init(&r->values);
}

void ranges_release(struct ranges *r)
{
	for (size_t i = 0; i < r->nr; i++)
		distribution_release(&r->groups[i]);
	free(r->groups);
	distribution_release(&r->total);
	strpool_release(&r->values);
}

static struct distribution *group_of(struct ranges *r, const char *value, size_t len)
{
	uint32_t number = strpool_add(&r->values, value, len);

	if (number >= r->nr) {
		size_t nr = (size_t)number * 2 + 16;

		r->groups = xrealloc(r->groups, nr, sizeof(*r->groups));
		memset(r->groups + r->nr, 0, (nr - r->nr) * sizeof(*r->groups));
		r->nr = nr;
	}
	return &r->groups[number];
}

/* Adds the events, whose bounds the sum may tell better than the bucket does. */
static void add(struct distribution *d, uint32_t bucket, uint64_t count, uint64_t sum)
{
	uint64_t from = log_scale_lowest(bucket);
	uint64_t to =
		bucket + 1 < LOG_SCALE_BUCKETS ? log_scale_lowest(bucket + 1) - 1 : UINT64_MAX;
	uint64_t others_least, others_most;

	if (!__builtin_mul_overflow(count - 1, from, &others_least) && sum >= others_least &&
		sum - others_least < to)
		to = sum - others_least;
	if (!__builtin_mul_overflow(count - 1, to, &others_most) && sum > others_most &&
		sum - others_most > from)
		from = sum - others_most;
	distribution_add(d, count, sum, from < to ? from : to, to);
}

void ranges_add(struct ranges *r, const char *value, size_t len, const char *range, uint64_t count,
	uint64_t sum)
{
	uint64_t lowest;

	if (!count || !parse_u64(range, strlen(range), 10, &lowest)) {
		add_capped(&r->unknown, count);
		return;
	}
	add(&r->total, log_scale_bucket(lowest), count, sum);
	add(group_of(r, value, len), log_scale_bucket(lowest), count, sum);
}

static void merge(struct distribution *d, const struct distribution *from)
{
	for (uint32_t i = 0; from->buckets && i < LOG_SCALE_BUCKETS; i++) {
		const struct distribution_bucket *b = &from->buckets[i];

		distribution_add(d, b->count, 0, b->min, b->max);
	}
	add_capped(&d->sum, from->sum);
}

void ranges_merge(struct ranges *r, const struct ranges *from)
{
	merge(&r->total, &from->total);
	for (uint32_t i = 0; i < from->nr; i++)
		if (from->groups[i].count)
			merge(group_of(r, strpool_get(&from->values, i),
				      strpool_len(&from->values, i)),
				&from->groups[i]);
	add_capped(&r->unknown, from->unknown);
}

/* Orders groups by their sums, and groups with equal sums by their values. */
static int compare(const void *a, const void *b, void *context)
{
	const struct ranges *r = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return r->groups[x].sum != r->groups[y].sum
		       ? compare_u64(r->groups[y].sum, r->groups[x].sum)
		       : strpool_compare(&r->values, x, y);
}

uint32_t *ranges_order(const struct ranges *r, size_t *nr)
{
	uint32_t *list = xcalloc(r->nr + 1, sizeof(*list));

	*nr = 0;
	for (uint32_t i = 0; i < r->nr; i++)
		if (r->groups[i].count)
			list[(*nr)++] = i;
	qsort_r(list, *nr, sizeof(*list), compare, (void *)(uintptr_t)r);
	return list;
}
