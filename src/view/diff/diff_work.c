/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_work.h"
#include "diff_runs.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ONE (UINT64_C(1) << 52) /* the largest cost of all runs, where they are integers */

/* Returns the ns that each unit of the weights of P stands for, or 0 if it is unknown. */
static double ns_of(const struct profile *p)
{
	double ns = amount_ns(p->unit);

	return ns > 0 || p->timing.mixed ? ns : (double)p->timing.period;
}

static bool all_are_time(const struct diff_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		if (ns_of(sides->runs[i]) <= 0)
			return false;
	return true;
}

/*
 * Whether one run rose from one other run. Counts of samples vary by chance, by the square root of
 * their number.
 */
static bool one_rose(const struct diff_sides *sides, const double *costs)
{
	double d = costs[1] - costs[0], variance = 0;

	for (size_t i = 0; i < 2; i++) {
		uint64_t samples = sides->runs[i]->nodes[0].total;

		variance += samples ? costs[i] * costs[i] / (double)samples : 0;
	}
	return d > 0 && (strcmp(sides->before->unit, "samples") || d * d >= 4 * variance);
}

static void compare_runs(struct diff_work *w, const struct diff_sides *sides, const double *costs)
{
	struct diff_pair nr = {sides->nr_before, sides->nr - sides->nr_before};
	uint64_t *values = xcalloc(sides->nr, sizeof(*values));
	double most = 0;

	for (size_t i = 0; i < sides->nr; i++)
		most = costs[i] > most ? costs[i] : most;
	for (size_t i = 0; i < sides->nr && most > 0; i++)
		values[i] = (uint64_t)(costs[i] / most * (double)ONE);
	w->rose = diff_runs_rose(values, nr, diff_runs_least(nr));

	struct diff_pair medians = diff_runs_medians(values, nr);

	w->before = (double)medians.before / (double)ONE * most;
	w->after = (double)medians.after / (double)ONE * most;
	free(values);
}

void diff_work_init(struct diff_work *w, const struct diff_sides *sides, const double *work)
{
	double *costs = xcalloc(sides->nr, sizeof(*costs));

	*w = (struct diff_work){.is_time = all_are_time(sides), .unit = sides->before->unit};
	for (size_t i = 0; i < sides->nr; i++) {
		const struct profile *p = sides->runs[i];

		costs[i] = (double)p->nodes[0].total * (w->is_time ? ns_of(p) : 1) / work[i];
	}
	if (sides->nr > 2) {
		compare_runs(w, sides, costs);
	} else {
		w->before = costs[0];
		w->after = costs[1];
		w->rose = one_rose(sides, costs);
	}
	free(costs);
}

bool diff_work_is_above(const struct diff_work *w, uint64_t limit)
{
	double rounding = 1e-12;

	return w->rose && w->before > 0 &&
	       w->after / w->before - 1 > (double)limit / 10000 + rounding;
}

static double change_of(const struct diff_work *w)
{
	return w->before > 0 ? 100 * (w->after / w->before - 1) : 0;
}

static void add_cost(const struct diff_work *w, double cost, struct strbuf *out)
{
	if (w->is_time) {
		amount_add_scaled(out, cost, "ns");
		return;
	}
	if (cost < 1000)
		strbuf_addf(out, "%.4g", cost);
	else
		amount_add_grouped(out, (uint64_t)llround(cost));
	strbuf_addf(out, " %s", w->unit);
}

void diff_work_add(const struct diff_work *w, struct strbuf *out)
{
	double change = change_of(w);

	strbuf_adds(out, change < 0 ? "fell from " : change > 0 ? "rose from " : "stayed at ");
	add_cost(w, w->before, out);
	if (change == 0)
		return;
	strbuf_adds(out, " to ");
	add_cost(w, w->after, out);
	strbuf_addf(out, ", by %.2f %%%s", fabs(change),
		change > 0 && !w->rose ? ", which may be chance" : "");
}

void diff_work_json(const struct diff_work *w, struct strbuf *out)
{
	json_text(out, "{", "unit", w->is_time ? "ns" : w->unit);
	strbuf_addf(out, ", \"before\": %.6g, \"after\": %.6g, \"change_pct\": %.2f}", w->before,
		w->after, change_of(w));
}
