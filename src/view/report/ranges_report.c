/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranges_report.h"
#include "lib/format/histogram.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"
#include "model/profile.h"

#include <stdlib.h>

enum { OCTAVES_MAX = 64 };

struct ranges_tables {
	const struct profile *p;
	const char *key;
	enum grid_format format;
	struct strbuf *out;
};

#define FIGURES "count", "sum", "mean", "min", "p50", "p90", "p99", "p99.9", "max"

static void add_number(const struct ranges_tables *t, struct grid *g, uint64_t number)
{
	struct strbuf text = STRBUF_INIT;

	if (t->format != GRID_TEXT) {
		grid_addu(g, number);
		return;
	}
	amount_add(&text, number, t->p->unit);
	grid_add_amount(g, text.buf, text.len);
	strbuf_release(&text);
}

static void add_figures(const struct ranges_tables *t, struct grid *g, const struct distribution *d)
{
	static const double shares[] = {0.5, 0.9, 0.99, 0.999};

	grid_addu(g, d->count);
	add_number(t, g, d->sum);
	add_number(t, g, (uint64_t)(distribution_mean(d) + 0.5));
	add_number(t, g, d->min);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		add_number(t, g, distribution_share(d, shares[i]));
	add_number(t, g, d->max);
}

static void list_total(struct grid *g, const struct ranges_tables *t)
{
	static const char *const columns[] = {FIGURES};

	grid_init(g, columns, ARRAY_LEN(columns));
	add_figures(t, g, &t->p->ranges.total);
}

/* The label's values come last, because texts may be long. */
static void list_groups(struct grid *g, const struct ranges_tables *t)
{
	static const char *const columns[] = {FIGURES, "value"};
	const struct ranges *r = &t->p->ranges;
	size_t nr;
	uint32_t *order = ranges_order(r, &nr);

	grid_init(g, columns, ARRAY_LEN(columns));
	for (size_t i = 0; i < nr; i++) {
		add_figures(t, g, &r->groups[order[i]]);
		grid_add(g, strpool_get(&r->values, order[i]), strpool_len(&r->values, order[i]));
	}
	free(order);
}

static void add_bound(struct grid *g, uint64_t bound, const void *context)
{
	add_number(context, g, bound);
}

static void list_histogram(struct grid *g, const struct ranges_tables *t)
{
	static const char *const columns[HISTOGRAM_COLUMNS] = {"from", "to", "count", "events"};
	struct distribution_octave octaves[OCTAVES_MAX];
	size_t nr = distribution_octaves(&t->p->ranges.total, octaves);

	histogram_list(g, columns, octaves, nr, t->format, add_bound, t);
}

static void write_table(
	const struct ranges_tables *t, void (*list)(struct grid *g, const struct ranges_tables *t))
{
	struct grid g;

	list(&g, t);
	grid_write(&g, t->format, t->out);
	grid_release(&g);
}

static void write_heading(const struct ranges_tables *t)
{
	profile_heading(t->p, t->out);
	strbuf_adds(t->out, t->out->len ? "\n" : "");
	if (!amount_width(t->p->unit)) /* otherwise all amounts have their own units */
		strbuf_addf(t->out, "%s\n", t->p->unit);
}

static void write_tables(const struct ranges_tables *t)
{
	if (t->format == GRID_TEXT)
		write_heading(t);
	if (t->key) {
		write_table(t, list_groups);
		return;
	}
	if (t->format == GRID_JSON)
		strbuf_adds(t->out, "{\"total\": ");
	if (t->format != GRID_CSV)
		write_table(t, list_total);
	if (t->format == GRID_JSON)
		strbuf_adds(t->out, ", \"histogram\": ");
	write_table(t, list_histogram);
	if (t->format == GRID_JSON)
		strbuf_adds(t->out, "}\n");
}

int ranges_report(const struct profile *p, const char *key, enum grid_format format, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	if (!p->ranges.total.count)
		return -1;
	write_tables(&(struct ranges_tables){p, key, format, &text});
	fwrite(text.buf, 1, text.len, out);
	strbuf_release(&text);
	return 0;
}
