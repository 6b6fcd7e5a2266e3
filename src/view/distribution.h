/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How numbers, such as times, are distributed: in buckets of lib/log_scale.h. Count, sum, lowest
 * and highest are exact.
 */
#ifndef VIEW_DISTRIBUTION_H
#define VIEW_DISTRIBUTION_H

#include "lib/log_scale.h"

#include <stddef.h>

struct strbuf;

struct distribution {
	uint64_t count, sum, min, max; /* min, max: 0 if there is none */
	struct distribution_bucket {
		uint64_t count, min, max;
	} * buckets; /* all of the scale; NULL: none was added */
};

/* Adds COUNT numbers of one bucket, their sum, the lowest and the highest. */
void distribution_add(
	struct distribution *d, uint64_t count, uint64_t sum, uint64_t min, uint64_t max);
void distribution_release(struct distribution *d);

double distribution_mean(const struct distribution *d);

/*
 * The number that SHARE, above 0 and up to 1, of all do not exceed (the nearest rank). It is within
 * the bucket of the right one, thus off by less than 1/16; exact where that has two numbers or one.
 */
uint64_t distribution_share(const struct distribution *d, double share);

/* A range from one power of two to before the next, for histograms. */
struct distribution_octave {
	uint64_t from, to, count;
};

/* Those from the lowest to the highest number; returns how many, at most 64. */
size_t distribution_octaves(const struct distribution *d, struct distribution_octave *octaves);

/* Appends a bar of the share COUNT / MOST of COLUMNS; at least one mark if there is any. */
void distribution_bar(struct strbuf *out, uint64_t count, uint64_t most, unsigned columns);

#endif
