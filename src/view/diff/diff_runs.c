/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_runs.h"
#include "lib/table.h"
#include "lib/util.h"
#include "view/report/entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ONE (UINT64_C(1) << 40) /* a share of 1 */

/* ---- medians and ranks ---- */

static int compare_values(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Returns the median of N values, which become sorted. */
static uint64_t median_of(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_values);
	return n % 2 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
}

/*
 * Sets P[U] to the probability that U of the X * Y pairs of X values and Y other values have the
 * other value above, if all orders of the values have the same probability. The largest value is
 * one of the X, or one of the Y and then above all X.
 */
static void find_chances(size_t x, size_t y, double *p)
{
	size_t sums = x * y + 1;
	double *rows = xcalloc((x + 1) * sums, sizeof(*rows)); /* for 0 to X values */

	for (size_t i = 0; i <= x; i++)
		rows[i * sums] = 1;
	for (size_t k = 1; k <= y; k++) /* for 0 to Y values */
		for (size_t i = 1; i <= x; i++)
			for (size_t u = sums; u--;) {
				double *row = rows + i * sums;
				double of_y = u >= i ? row[u - i] : 0, of_x = row[u - sums];

				row[u] = (of_y * (double)k + of_x * (double)i) / (double)(i + k);
			}
	memcpy(p, rows + x * sums, sums * sizeof(*p));
	free(rows);
}

/* The normal approximation of the same, for the number of pairs at 5 %. */
static size_t approximate_least(size_t x, size_t y)
{
	double pairs = (double)x * (double)y;

	return (size_t)ceil(pairs / 2 + 0.5 + 1.645 * sqrt(pairs * (double)(x + y + 1) / 12));
}

size_t diff_runs_least(struct diff_pair nr)
{
	enum { EXACT_MAX = 400 };
	size_t pairs = nr.before * nr.after, least = pairs;
	double p[EXACT_MAX + 1], sum = 0;

	if (pairs > EXACT_MAX)
		return approximate_least(nr.before, nr.after);
	find_chances(nr.before, nr.after, p);
	for (size_t u = pairs; u > 0 && (sum += p[u]) <= 0.05; u--)
		least = u;
	return least;
}

bool diff_runs_rose(const uint64_t *values, struct diff_pair nr, size_t least)
{
	size_t above = 0;

	for (size_t i = 0; i < nr.before; i++)
		for (size_t k = 0; k < nr.after; k++)
			above += values[nr.before + k] > values[i];
	return above >= least;
}

struct diff_pair diff_runs_medians(uint64_t *values, struct diff_pair nr)
{
	return (struct diff_pair){
		median_of(values, nr.before), median_of(values + nr.before, nr.after)};
}

/* ---- the functions of all runs ---- */

/* The values of each run for each function. The first one of function I is at I * nr. */
struct shares {
	struct diff_functions *functions;
	struct table numbers; /* of the functions, by name and module */
	size_t nr;
	uint64_t *self, *inclusive;
};

static void shares_init(struct shares *s, struct diff_functions *f, size_t nr)
{
	bool is_new;

	*s = (struct shares){.functions = f,
		.nr = nr,
		.self = xcalloc(nr * f->nr, sizeof(*s->self)),
		.inclusive = xcalloc(nr * f->nr, sizeof(*s->inclusive))};
	table_init(&s->numbers);
	for (uint32_t i = 0; i < f->nr; i++)
		*table_put(&s->numbers, (uint64_t)f->list[i].name << 32 | f->list[i].module,
			f->list[i].kernel, &is_new) = i;
}

static void shares_release(struct shares *s)
{
	table_release(&s->numbers);
	free(s->self);
	free(s->inclusive);
}

static uint64_t share_of(uint64_t weight, uint64_t total)
{
	return total ? (uint64_t)((unsigned __int128)weight * ONE / total) : 0;
}

static void add_run(struct shares *s, const struct profile *run, size_t at)
{
	struct strpool *names = &s->functions->names;
	uint64_t total = run->nodes[0].total;
	struct report_entries own;

	entries_init_whole(&own, run);
	for (uint32_t i = 0; i < own.nr; i++) {
		const struct report_entry *fn = &own.list[i];
		const struct frame *frame = &run->frames[fn->frame];
		uint64_t name = strpool_import(names, &run->names, frame->name);
		uint32_t module = strpool_import(names, &run->names, frame->module);
		const uint32_t *number = table_get(&s->numbers, name << 32 | module, fn->kernel);

		if (!number)
			continue;
		s->self[*number * s->nr + at] = share_of(fn->self, total);
		s->inclusive[*number * s->nr + at] = share_of(fn->inclusive, total);
	}
	entries_release(&own);
}

/* Sets *MEDIANS, and returns whether the values rose. */
static bool judge(const struct diff_runs *runs, uint64_t *values, struct diff_pair *medians)
{
	bool rose = diff_runs_rose(values, runs->nr, runs->least);

	*medians = diff_runs_medians(values, runs->nr);
	return rose;
}

static void judge_functions(struct diff_runs *runs, const struct shares *s)
{
	struct diff_scale scale = s->functions->scale; /* of all runs together */

	scale.normalized = true;
	for (uint32_t i = 0; i < runs->medians.nr; i++) {
		const struct diff_function *all = &s->functions->list[i];
		struct diff_function *fn = &runs->medians.list[i];

		runs->rose[i].self = judge(runs, s->self + i * s->nr, &fn->self) &&
				     diff_step(&scale, all->self) > DIFF_SAME;
		runs->rose[i].inclusive = judge(runs, s->inclusive + i * s->nr, &fn->inclusive) &&
					  diff_step(&scale, all->inclusive) > DIFF_SAME;
	}
}

static void judge_totals(struct diff_runs *runs, struct profile *const *profiles, size_t nr)
{
	uint64_t *totals = xcalloc(nr, sizeof(*totals));

	for (size_t i = 0; i < nr; i++)
		totals[i] = profiles[i]->nodes[0].total;
	runs->total_rose = judge(runs, totals, &runs->totals);
	free(totals);
}

void diff_runs_init(
	struct diff_runs *runs, struct diff_functions *functions, const struct diff_sides *sides)
{
	struct diff_pair nr = {sides->nr_before, sides->nr - sides->nr_before};
	struct shares shares;

	shares_init(&shares, functions, sides->nr);
	for (size_t i = 0; i < shares.nr; i++)
		add_run(&shares, sides->runs[i], i);
	*runs = (struct diff_runs){.nr = nr,
		.least = diff_runs_least(nr),
		.medians = *functions,
		.rose = xcalloc(functions->nr, sizeof(*runs->rose))};
	runs->medians.list = xcalloc(functions->nr, sizeof(*functions->list));
	if (functions->nr)
		memcpy(runs->medians.list, functions->list,
			functions->nr * sizeof(*functions->list));
	runs->medians.scale.total = (struct diff_pair){ONE, ONE};
	runs->medians.scale.samples = false;
	judge_functions(runs, &shares);
	judge_totals(runs, sides->runs, shares.nr);
	shares_release(&shares);
}

void diff_runs_release(struct diff_runs *runs)
{
	free(runs->medians.list);
	free(runs->rose);
	*runs = (struct diff_runs){0};
}
