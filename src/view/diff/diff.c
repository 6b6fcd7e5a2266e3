/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff.h"
#include "lib/util.h"
#include "view/preorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_scale diff_scale_of(
	const struct profile *before, const struct profile *after, bool normalized)
{
	return (struct diff_scale){
		.total = {before->nodes[0].total, after->nodes[0].total},
		.normalized = normalized,
		.samples = !strcmp(before->unit, "samples"),
	};
}

static double quotient(double part, uint64_t all)
{
	return all ? part / (double)all : 0;
}

/* Weights as they are compared, and the variance of their difference by chance. */
struct compared {
	double before, after, variance;
};

static struct compared compared(const struct diff_scale *scale, struct diff_pair w)
{
	double x = (double)w.before, y = (double)w.after;

	if (!scale->normalized)
		return (struct compared){x, y, x + y};
	x = quotient(x, scale->total.before);
	y = quotient(y, scale->total.after);
	return (struct compared){x, y,
		quotient(x * (1 - x), scale->total.before) +
			quotient(y * (1 - y), scale->total.after)};
}

int diff_step(const struct diff_scale *scale, struct diff_pair w)
{
	struct compared c = compared(scale, w);
	double d = c.after - c.before, s = c.before + c.after;

	if (d == 0 || (scale->samples && d * d < 4 * c.variance))
		return DIFF_SAME;
	if (!w.after)
		return DIFF_GONE;
	if (!w.before)
		return DIFF_NEW;
	int k = 9 * fabs(d) <= s ? 1 : 3 * fabs(d) <= s ? 2 : 3;

	return d < 0 ? DIFF_SAME - k : DIFF_SAME + k;
}

struct diff_change diff_change(const struct diff_scale *scale, struct diff_pair w)
{
	unsigned __int128 before = w.before, after = w.after, all = scale->total.before;

	if (scale->normalized) { /* if a total is 0, so are its weights */
		uint64_t total_before = scale->total.before + !scale->total.before;
		uint64_t total_after = scale->total.after + !scale->total.after;

		before *= total_after;
		after *= total_before;
		all = (unsigned __int128)total_before * total_after;
	}
	if (after < before)
		return (struct diff_change){before - after, all, true};
	return (struct diff_change){after - before, all, false};
}

int diff_compare(const struct diff_scale *scale, struct diff_pair a, struct diff_pair b)
{
	unsigned __int128 by_a = diff_change(scale, a).part, by_b = diff_change(scale, b).part;

	return (by_a < by_b) - (by_a > by_b);
}

uint64_t diff_hundredths(struct diff_change change, bool up)
{
	unsigned __int128 part = change.part, all = change.all;

	if (!all)
		return 0;
	while (all >> 124) { /* make room for a digit; the lost bits are below the precision */
		all >>= 1;
		part >>= 1;
	}
	if (part / all >= UINT64_MAX / 10000)
		return UINT64_MAX;
	uint64_t result = (uint64_t)(part / all);

	for (int digit = 0; digit < 4; digit++) {
		part = part % all * 10;
		result = result * 10 + (uint64_t)(part / all);
	}
	part %= all;
	return result + (up ? part > 0 : part * 2 >= all);
}

bool diff_is_above(const struct diff_scale *scale, struct diff_pair w, uint64_t limit)
{
	struct diff_change change = diff_change(scale, w);

	return !change.fell && diff_hundredths(change, true) > limit &&
	       diff_step(scale, w) != DIFF_SAME;
}

struct diff_change diff_growth(const struct diff_scale *scale, struct diff_pair w)
{
	struct diff_change change = diff_change(scale, w);

	change.all = w.before;
	if (scale->normalized)
		change.all *= scale->total.after + !scale->total.after;
	return change;
}

/* Whether a rise of samples has a probability below 5 % / TESTS, as one tail of a normal
 * distribution. */
static bool is_significant(const struct diff_scale *scale, struct diff_pair w, uint32_t tests)
{
	struct compared c = compared(scale, w);
	double rise = c.after - c.before;

	if (!scale->samples)
		return rise > 0;
	return rise > 0 && erfc(rise / sqrt(2 * c.variance)) / 2 * tests < 0.05;
}

bool diff_grew(const struct diff_scale *scale, struct diff_pair w, uint64_t limit, uint32_t tests)
{
	struct diff_change growth = diff_growth(scale, w);

	return !growth.fell && (!growth.all || diff_hundredths(growth, true) > limit) &&
	       is_significant(scale, w, tests);
}

static void add_shape(struct profile *tree, const struct profile *from)
{
	uint32_t *frame_of = profile_import_frames(tree, from);

	profile_add_tree(tree, from, frame_of);
	free(frame_of);
}

static void add_sides(struct diff *d, const struct profile *before, const struct profile *after)
{
	struct profile *tree = &d->tree;

	add_shape(tree, before);
	uint32_t nr = tree->nr_nodes;
	uint64_t *selfs = xcalloc(nr, sizeof(*selfs));

	for (uint32_t i = 0; i < nr; i++) {
		selfs[i] = tree->nodes[i].self;
		tree->nodes[i].self = 0;
	}
	add_shape(tree, after);
	d->self = xcalloc(tree->nr_nodes, sizeof(*d->self));
	for (uint32_t i = 0; i < tree->nr_nodes; i++)
		d->self[i] = (struct diff_pair){i < nr ? selfs[i] : 0, tree->nodes[i].self};
	free(selfs);
}

static void add_pair(struct diff_pair *sum, struct diff_pair w)
{
	add_capped(&sum->before, w.before);
	add_capped(&sum->after, w.after);
}

static void add_inclusive(struct diff *d)
{
	const struct profile *tree = &d->tree;

	d->inclusive = xcalloc(tree->nr_nodes, sizeof(*d->inclusive));
	for (uint32_t i = tree->nr_nodes; i--;) { /* a parent's number is below its children's */
		add_pair(&d->inclusive[i], d->self[i]);
		if (i)
			add_pair(&d->inclusive[tree->nodes[i].parent], d->inclusive[i]);
	}
}

static uint64_t fixed_share(uint64_t part, uint64_t all)
{
	return all ? (uint64_t)(((unsigned __int128)part << 62) / all) : 0;
}

/* Returns the position in the graph that corresponds to sums of weights. */
static uint64_t place(const struct diff_scale *scale, struct diff_pair left)
{
	unsigned __int128 total = (unsigned __int128)scale->total.before + scale->total.after;

	if (scale->normalized)
		return fixed_share(left.before, scale->total.before) +
		       fixed_share(left.after, scale->total.after);
	return (uint64_t)(((unsigned __int128)left.before + left.after) >> (total > UINT64_MAX));
}

/*
 * Sets the weights of the tree's nodes to differences of positions, so that rounding errors do not
 * add up.
 */
static void weigh(struct diff *d)
{
	struct profile *tree = &d->tree;
	struct preorder w = preorder_begin(tree);
	struct diff_pair left = {0};

	do {
		uint64_t start = place(&d->scale, left);

		add_pair(&left, d->self[w.node]);
		tree->nodes[w.node].self = place(&d->scale, left) - start;
	} while (preorder_next(&w));
	profile_add_up(tree);
}

void diff_init(
	struct diff *d, const struct profile *before, const struct profile *after, bool normalized)
{
	*d = (struct diff){.scale = diff_scale_of(before, after, normalized)};
	profile_init(&d->tree);
	profile_set(&d->tree.unit, before->unit);
	add_sides(d, before, after);
	add_inclusive(d);
	profile_finish(&d->tree);
	weigh(d);
}

void diff_release(struct diff *d)
{
	profile_release(&d->tree);
	free(d->self);
	free(d->inclusive);
	*d = (struct diff){0};
}
