/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two profiles compared, before and after, in weights as they were read.
 *
 * How much a weight changed is one of 9 steps, from gone (0) over the same (4) to new (8). The
 * script's text.js computes the same, with doubles, from left to right as written:
 *
 *	x = before, y = after, v = x + y
 *	normalized: x = before / total before, y = after / total after (0 where the total is),
 *	            v = x * (1 - x) / total before + y * (1 - y) / total after
 *	d = y - x, s = x + y
 *	step:
 *	4             when d == 0, or weights are samples and d * d < 4 * v: v is the variance
 *	              that chance gives d
 *	0             when after == 0
 *	8             when before == 0
 *	4 - k, 4 + k  as d is below or above 0
 *	k = 1         when 9 * |d| <= s: down to 4/5, up to 5/4
 *	k = 2         when 3 * |d| <= s: down to half, up to double
 *	k = 3         otherwise
 */
#ifndef VIEW_DIFF_DIFF_H
#define VIEW_DIFF_DIFF_H

#include "model/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum { DIFF_GONE = 0, DIFF_SAME = 4, DIFF_NEW = 8, DIFF_STEPS };

struct diff_pair {
	uint64_t before, after;
};

/* What weights are compared by. */
struct diff_scale {
	struct diff_pair total;
	bool normalized; /* by their shares of the totals */
	bool samples;    /* they are counts of samples, which differ by chance, too */
};

/* BEFORE and AFTER are finished and in the same unit. */
struct diff_scale diff_scale_of(
	const struct profile *before, const struct profile *after, bool normalized);

int diff_step(const struct diff_scale *scale, struct diff_pair weights);

/*
 * By how much a weight changed: PART of ALL, which is the total before or, normalized, what both
 * totals are (0: there is none).
 */
struct diff_change {
	unsigned __int128 part, all;
	bool fell;
};
struct diff_change diff_change(const struct diff_scale *scale, struct diff_pair weights);

/* A change in hundredths of per cent, to the nearest or UP; stops at UINT64_MAX. */
uint64_t diff_hundredths(struct diff_change change, bool up);

/* Whether weights rose by more than LIMIT hundredths of per cent, and by no chance. */
bool diff_is_above(const struct diff_scale *scale, struct diff_pair weights, uint64_t limit);

/*
 * One tree of the nodes of both. A node's weight is that before and that after together, so that
 * what is new or gone is seen; or, normalized, their shares together, where one total is 2^62.
 */
struct diff {
	struct profile tree; /* finished */
	struct diff_scale scale;
	struct diff_pair *self, *inclusive; /* by the tree's node */
};

/* As diff_scale_of; both may be released afterwards. */
void diff_init(
	struct diff *d, const struct profile *before, const struct profile *after, bool normalized);
void diff_release(struct diff *d);

#endif
