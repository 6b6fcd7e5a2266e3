/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outliers_report.h"
#include "outliers.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- the first rows ---- */

static uint64_t difference(const struct outlier *o)
{
	return o->weight > o->usual ? o->weight - o->usual : o->usual - o->weight;
}

/* Functions come before their callers, and before everything together. */
static int compare_differences(const void *va, const void *vb)
{
	const struct outlier *a = *(const struct outlier *const *)va;
	const struct outlier *b = *(const struct outlier *const *)vb;

	if (difference(a) != difference(b))
		return compare_u64(difference(b), difference(a));
	if (a->depth != b->depth)
		return compare_u64(b->depth, a->depth);
	return (a > b) - (a < b);
}

/* Keeps the TOP outliers that differ most, in the same order. Returns how many are left out. */
static size_t keep_top(struct outlier_list *l, size_t top)
{
	const struct outlier **order = xcalloc(l->nr, sizeof(*order));
	bool *is_kept = xcalloc(l->nr, sizeof(*is_kept));
	size_t nr = l->nr;

	for (size_t i = 0; i < nr; i++)
		order[i] = &l->list[i];
	qsort(order, nr, sizeof(*order), compare_differences);
	for (size_t i = 0; i < nr && i < top; i++)
		is_kept[order[i] - l->list] = true;
	l->nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (is_kept[i])
			l->list[l->nr++] = l->list[i];
	free(is_kept);
	free(order);
	return nr - l->nr;
}

/* ---- the table ---- */

static void add_weight(
	const struct profile *p, struct grid *g, enum grid_format format, uint64_t weight)
{
	struct strbuf text = STRBUF_INIT;

	if (format != GRID_TEXT) {
		grid_addu(g, weight);
		return;
	}
	amount_add(&text, weight, p->unit);
	grid_add_amount(g, text.buf, text.len);
	strbuf_release(&text);
}

static void add_name(
	const struct profile *p, struct grid *g, enum grid_format format, uint32_t frame)
{
	const char *module = profile_module(p, frame);
	struct strbuf text = STRBUF_INIT;
	size_t len;

	if (frame) {
		strbuf_adds(&text, profile_name(p, frame, &len));
		if (format == GRID_TEXT && *module)
			strbuf_addf(&text, *module == '[' ? " %s" : " [%s]", file_name(module));
	}
	grid_add(g, text.buf, text.len);
	if (format != GRID_TEXT)
		grid_adds(g, frame ? module : NULL);
	strbuf_release(&text);
}

static void fill(const struct profile *p, struct grid *g, enum grid_format format,
	const struct outlier_list *l)
{
	static const char *const columns[] = {
		"from", "to", "weight", "usual", "function", "module"};

	grid_init(g, columns, format == GRID_TEXT ? ARRAY_LEN(columns) - 1 : ARRAY_LEN(columns));
	for (size_t i = 0; i < l->nr; i++) {
		grid_addf(g, l->list[i].from, 3);
		grid_addf(g, l->list[i].to, 3);
		add_weight(p, g, format, l->list[i].weight);
		add_weight(p, g, format, l->list[i].usual);
		add_name(p, g, format, l->list[i].frame);
	}
}

static void write_text(const struct profile *p, const struct outlier_list *l, const struct grid *g,
	size_t left_out, struct strbuf *text)
{
	profile_heading(p, text);
	strbuf_addf(
		text, "%s%u columns of %.3f s\n", text->len ? "\n" : "", l->columns, l->column_s);
	if (!l->nr)
		strbuf_adds(text, "no time differs from the rest\n");
	else
		grid_write(g, GRID_TEXT, text);
	if (left_out)
		strbuf_addf(text, "%zu more %s\n", left_out, left_out == 1 ? "row" : "rows");
}

int outliers_report(const struct profile *p, enum grid_format format, uint32_t top, FILE *out)
{
	struct strbuf text = STRBUF_INIT;
	struct outlier_list l;
	struct grid g;
	size_t left_out;

	if (outliers_find(&l, p))
		return 1;
	left_out = top ? keep_top(&l, top) : 0;
	fill(p, &g, format, &l);
	if (format == GRID_TEXT)
		write_text(p, &l, &g, left_out, &text);
	else
		grid_write(&g, format, &text);
	if (format == GRID_JSON)
		strbuf_addch(&text, '\n');
	grid_release(&g);
	outlier_list_release(&l);
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return 0;
}
