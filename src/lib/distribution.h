/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distribution of numbers, such as times, in buckets of lib/log_scale.h. Count, sum, minimum
 * and maximum are exact.
 */
#ifndef LIB_DISTRIBUTION_H
#define LIB_DISTRIBUTION_H

#include "lib/log_scale.h"

#include <stddef.h>

struct distribution {
	uint64_t count, sum, min, max; /* min and max are 0 if there are no numbers */
	struct distribution_bucket {
		uint64_t count, min, max;
	} * buckets; /* all buckets of the scale, or NULL if no number was added */
};

/* Adds COUNT numbers of one bucket, with their sum, minimum and maximum. */
void distribution_add(
	struct distribution *d, uint64_t count, uint64_t sum, uint64_t min, uint64_t max);
void distribution_release(struct distribution *d);

double distribution_mean(const struct distribution *d);

/*
 * Returns the number that SHARE, above 0 and up to 1, of all numbers do not exceed (the nearest
 * rank). The result is in the right bucket, so it is off by less than 1/16. It is exact if the
 * bucket has one or two different numbers.
 */
uint64_t distribution_share(const struct distribution *d, double share);

/* A range from one power of two to just below the next, for histograms. */
struct distribution_octave {
	uint64_t from, to, count;
};

/*
 * Sets OCTAVES to the ranges from the lowest to the highest number. Returns how many there are, at
 * most 64.
 */
size_t distribution_octaves(const struct distribution *d, struct distribution_octave *octaves);

#endif
