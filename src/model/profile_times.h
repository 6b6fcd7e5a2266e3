/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the samples of a call tree's nodes were taken. */
#ifndef MODEL_PROFILE_TIMES_H
#define MODEL_PROFILE_TIMES_H

#include "series.h"

struct profile_times {
	uint64_t slice_ns; /* length of a slice, or 0 if times are not known */
	uint64_t begin_ns; /* of the first slice, after the begin of the recording */
	uint32_t nr;       /* slices */
	struct series_pool series;
	uint32_t *of; /* for each node the series of its self weight, or 0 */
	uint32_t nr_of;
};

void profile_times_release(struct profile_times *t);

/* Adds series OTHER of POOL, which may be 0, to the series of NODE. */
void profile_times_add(
	struct profile_times *t, uint32_t node, const struct series_pool *pool, uint32_t other);

/* Returns the series of NODE, or 0. */
uint32_t profile_times_of(const struct profile_times *t, uint32_t node);

/* Forgets the series of NODE. */
void profile_times_clear(struct profile_times *t, uint32_t node);

#endif
