/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "distribution.h"
#include "lib/util.h"

#include <math.h>
#include <stdlib.h>

void distribution_add(
	struct distribution *d, uint64_t count, uint64_t sum, uint64_t min, uint64_t max)
{
	struct distribution_bucket *b;

	if (!count)
		return;
	if (!d->buckets)
		d->buckets = xcalloc(LOG_SCALE_BUCKETS, sizeof(*d->buckets));
	b = &d->buckets[log_scale_bucket(min)];
	b->min = !b->count || min < b->min ? min : b->min;
	b->max = max > b->max ? max : b->max;
	d->min = !d->count || min < d->min ? min : d->min;
	d->max = max > d->max ? max : d->max;
	add_capped(&b->count, count);
	add_capped(&d->count, count);
	add_capped(&d->sum, sum);
}

void distribution_release(struct distribution *d)
{
	free(d->buckets);
	*d = (struct distribution){0};
}

double distribution_mean(const struct distribution *d)
{
	return d->count ? (double)d->sum / (double)d->count : 0;
}

/* Returns the number of rank RANK, from 0, in a bucket, as if the numbers were spread evenly. */
static uint64_t in_bucket(const struct distribution_bucket *b, uint64_t rank)
{
	if (b->count < 2)
		return b->max;
	return b->min +
	       (uint64_t)((double)(b->max - b->min) * (double)rank / (double)(b->count - 1));
}

uint64_t distribution_share(const struct distribution *d, double share)
{
	uint64_t rank, before = 0;

	if (!d->count)
		return 0;
	/* 0.9 * 10 is a little more than 9 */
	rank = (uint64_t)ceil(share * (double)d->count * (1 - 1e-12));
	rank = rank < 1 ? 1 : rank > d->count ? d->count : rank;
	for (size_t i = 0; i < LOG_SCALE_BUCKETS; i++) {
		const struct distribution_bucket *b = &d->buckets[i];

		if (rank - before <= b->count)
			return in_bucket(b, rank - before - 1);
		before += b->count;
	}
	return d->max;
}

size_t distribution_octaves(const struct distribution *d, struct distribution_octave *octaves)
{
	uint32_t first = log_scale_bit(d->min), last = log_scale_bit(d->max);

	if (!d->count)
		return 0;
	for (uint32_t bit = first; bit <= last; bit++)
		octaves[bit - first] = (struct distribution_octave){
			bit ? 1ULL << bit : 0, bit < 63 ? 2ULL << bit : UINT64_MAX, 0};
	for (uint32_t i = 0; i < LOG_SCALE_BUCKETS; i++)
		if (d->buckets[i].count)
			octaves[log_scale_bit(log_scale_lowest(i)) - first].count +=
				d->buckets[i].count;
	return last - first + 1;
}
