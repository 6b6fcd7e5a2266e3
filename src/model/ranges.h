/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distribution of the values of events, such as the times of calls, from rows with the label
 * RECORDING_RANGE: overall and for each value of another label.
 */
#ifndef MODEL_RANGES_H
#define MODEL_RANGES_H

#include "lib/distribution.h"
#include "lib/strpool.h"

#include <stdbool.h>

struct ranges {
	struct distribution total;
	struct strpool values;
	struct distribution *groups; /* by the values' numbers in the pool, which may exceed nr */
	size_t nr;
	uint64_t unknown; /* events without a range */
};

void ranges_init(struct ranges *r);
void ranges_release(struct ranges *r);

/*
 * Adds COUNT events with the sum SUM in the range RANGE, the text of its lowest number, to the
 * total and to the group VALUE of LEN bytes.
 */
void ranges_add(struct ranges *r, const char *value, size_t len, const char *range, uint64_t count,
	uint64_t sum);

/* Adds the events of another part of the profile. */
void ranges_merge(struct ranges *r, const struct ranges *from);

/*
 * Returns the groups by the sums of their events, the largest first, as numbers in the pool. The
 * caller frees the list.
 */
uint32_t *ranges_order(const struct ranges *r, size_t *nr);

#endif
