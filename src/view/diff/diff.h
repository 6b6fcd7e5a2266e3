/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparison of two profiles, before and after, by their unscaled weights.
 *
 * The change of a weight is one of 9 steps, from gone (0) through same (4) to new (8). text.js
 * computes the same steps with doubles, from left to right as written here:
 *
 *	x = before, y = after, v = x + y
 *	normalized: x = before / total before, y = after / total after (0 if the total is 0),
 *	            v = x * (1 - x) / total before + y * (1 - y) / total after
 *	parts of the time, which only the script compares:
 *	            x = before / its seconds, y = after / its seconds, v = x / seconds + y / seconds
 *	d = y - x, s = x + y
 *	step:
 *	4             when d == 0, or weights are samples and d * d < 4 * v: v is the variance of
 *	              d by chance
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

/* How weights are compared. */
struct diff_scale {
	struct diff_pair total;
	bool normalized; /* weights are compared by their shares of the totals */
	bool samples;    /* weights are counts of samples, which also differ by chance */
};

/* BEFORE and AFTER are finished and in the same unit. */
struct diff_scale diff_scale_of(
	const struct profile *before, const struct profile *after, bool normalized);

int diff_step(const struct diff_scale *scale, struct diff_pair weights);

/*
 * The change of a weight is PART / ALL. ALL is the total before or, if normalized, the product of
 * both totals. If ALL is 0, the change is undefined.
 */
struct diff_change {
	unsigned __int128 part, all;
	bool fell;
};
struct diff_change diff_change(const struct diff_scale *scale, struct diff_pair weights);

/* Returns a negative number if A changed more than B, up or down. For comparators. */
int diff_compare(const struct diff_scale *scale, struct diff_pair a, struct diff_pair b);

/* Returns a change in hundredths of per cent, rounded to the nearest or UP, at most UINT64_MAX. */
uint64_t diff_hundredths(struct diff_change change, bool up);

/* Whether weights rose by more than LIMIT hundredths of per cent, and not by chance. */
bool diff_is_above(const struct diff_scale *scale, struct diff_pair weights, uint64_t limit);

/* The change of a weight or share as a part of what it was before, which is ALL. */
struct diff_change diff_growth(const struct diff_scale *scale, struct diff_pair weights);

/*
 * Whether weights grew by more than LIMIT hundredths of per cent of what they were, and not by
 * chance, as one of TESTS weights of which the largest growth is searched. The probability that any
 * of them grows so much by chance is 5 %: each is tested at 5 % / TESTS (Bonferroni's correction).
 */
bool diff_grew(
	const struct diff_scale *scale, struct diff_pair weights, uint64_t limit, uint32_t tests);

/*
 * The merged tree of both profiles. A node's weight is the sum of its weights before and after, so
 * that new and gone nodes are visible. If normalized, it is the sum of their shares, with 2^62 for
 * each total.
 */
struct diff {
	struct profile tree; /* finished */
	struct diff_scale scale;
	struct diff_pair *self, *inclusive; /* by the tree's nodes */
};

/* See diff_scale_of for BEFORE and AFTER. Both may be released afterwards. */
void diff_init(
	struct diff *d, const struct profile *before, const struct profile *after, bool normalized);
void diff_release(struct diff *d);

#endif
