/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"
#include "lib/util.h"
#include "lib/format/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 1200, /* px, of the picture */
	MARGIN = 10,
	NAMES = 330, /* where the bars begin */
	ROW = 22,
	BAR = 16,
	THIN = 5,
	HEAD = 70, /* title, legend and axis */
	CHAR = 7,  /* width of a character, rather too large, because fonts differ */
	TICKS = 8, /* approximate number on the axis */
};

static const char style[] = "text{font:12px monospace;fill:#222}"
			    ".title{font-size:15px;font-weight:bold}"
			    ".axis{fill:#666;text-anchor:middle}"
			    ".time{fill:#555}"
			    "line{stroke:#ddd}"
			    ".row:hover .name{font-weight:bold}"
			    "@media(prefers-color-scheme:dark){svg{background:#1b1b1b}"
			    "text{fill:#ddd}.axis,.time{fill:#aaa}line{stroke:#3a3a3a}}";

struct timeline_row *timeline_add_row(struct timeline *t, double from, double to)
{
	struct timeline_row *row;

	ALLOC_GROW(t->rows, t->nr, t->alloc);
	row = &t->rows[t->nr++];
	*row = (struct timeline_row){
		.name = STRBUF_INIT, .detail = STRBUF_INIT, .from = from, .to = to};
	return row;
}

void timeline_add_bar(struct timeline_row *row, size_t kind, double from, double to)
{
	from = fmax(from, row->from);
	to = fmin(to, row->to);
	if (!(from < to))
		return;
	ALLOC_GROW(row->bars, row->nr, row->alloc);
	row->bars[row->nr++] = (struct timeline_bar){from, to, kind};
}

void timeline_release(struct timeline *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		strbuf_release(&t->rows[i].name);
		strbuf_release(&t->rows[i].detail);
		free(t->rows[i].bars);
	}
	free(t->rows);
	t->rows = NULL;
	t->nr = t->alloc = 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct timeline_row *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return strcmp(x->name.buf, y->name.buf);
}

/* ---- the axis ---- */

struct axis {
	double from, to, step; /* ms */
};

static double x_of(const struct axis *a, double ms)
{
	return NAMES + (ms - a->from) / (a->to - a->from) * (WIDTH - MARGIN - NAMES);
}

/* Returns 1, 2 or 5 times a power of ten that is at least MS / TICKS. */
static double nice_step(double ms)
{
	double least = ms / TICKS, power = pow(10, floor(log10(least)));

	for (int i = 1; i <= 5; i += i == 1 ? 1 : 3)
		if (i * power >= least)
			return i * power;
	return 10 * power;
}

static struct axis make_axis(const struct timeline *t)
{
	struct axis a = {INFINITY, -INFINITY, 1};

	for (size_t i = 0; i < t->nr; i++) {
		a.from = fmin(a.from, t->rows[i].from);
		a.to = fmax(a.to, t->rows[i].to);
	}
	if (!(a.from < a.to)) {
		a.from = t->nr ? a.from : 0;
		a.to = a.from + 1;
	}
	a.step = nice_step(a.to - a.from);
	return a;
}

static void add_axis(const struct axis *a, size_t nr_rows, struct strbuf *out)
{
	double unit = a->step >= 1000 ? 1000 : 1;

	for (double ms = 0; ms <= a->to - a->from; ms += a->step) {
		double x = x_of(a, a->from + ms);

		strbuf_addf(out,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%zu\"/>"
			"<text class=\"axis\" x=\"%.1f\" y=\"%d\">%g %s</text>\n",
			x, HEAD, x, HEAD + nr_rows * ROW, x, HEAD - 5, ms / unit,
			unit > 1 ? "s" : "ms");
	}
}

/* ---- rows ---- */

static void add_legend(const struct timeline *t, struct strbuf *out)
{
	int x = MARGIN;

	for (size_t i = 0; i < t->nr_kinds; i++) {
		const struct timeline_kind *k = &t->kinds[i];
		int height = k->is_thin ? THIN : 12;

		strbuf_addf(out,
			"<rect fill=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" height=\"%d\"/>"
			"<text x=\"%d\" y=\"45\">%s</text>\n",
			k->color, x, 46 - height, height, x + 16, k->name);
		x += 16 + CHAR * (int)strlen(k->name) + 14;
	}
}

static void add_bar(const struct timeline *t, const struct axis *a, const struct timeline_bar *b,
	double top, struct strbuf *out)
{
	const struct timeline_kind *k = &t->kinds[b->kind];
	double x = x_of(a, b->from), width = fmax(x_of(a, b->to) - x, 0.5);

	strbuf_addf(out, "<rect fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
		k->color, x, k->is_thin ? top + BAR - THIN : top, width, k->is_thin ? THIN : BAR);
}

/* Appends the time, right of the bars or, if they end too far right, left of them. */
static void add_time(
	const struct axis *a, const struct timeline_row *r, double y, struct strbuf *out)
{
	double x = x_of(a, r->to) + 5;
	bool fits = x + 10 * CHAR < WIDTH;

	strbuf_addf(out, "<text class=\"time\" x=\"%.1f\" y=\"%.1f\"%s>%.1f ms</text>\n",
		fits ? x : x_of(a, r->from) - 5, y, fits ? "" : " text-anchor=\"end\"",
		r->to - r->from);
}

static void add_row(const struct timeline *t, const struct axis *a, size_t i, struct strbuf *out)
{
	const struct timeline_row *r = &t->rows[i];
	double top = HEAD + 3 + (double)i * ROW, y = top + 12;

	strbuf_adds(out, "<g class=\"row\"><title>");
	xml_text(out, r->detail.buf, r->detail.len);
	strbuf_addf(out,
		"</title><rect fill=\"transparent\" x=\"0\" y=\"%.1f\" width=\"%d\" "
		"height=\"%d\"/>\n<text class=\"name\" x=\"%d\" y=\"%.1f\">",
		top - 3, WIDTH, ROW, MARGIN, y);
	xml_text_cut(out, r->name.buf, r->name.len, (NAMES - 2 * MARGIN) / (CHAR + 1));
	strbuf_adds(out, "</text>\n");
	for (size_t k = 0; k < r->nr; k++)
		add_bar(t, a, &r->bars[k], top, out);
	add_time(a, r, y, out);
	strbuf_adds(out, "</g>\n");
}

void timeline_write(struct timeline *t, struct strbuf *out)
{
	struct axis a = make_axis(t);
	size_t height = HEAD + t->nr * ROW + MARGIN;

	if (t->nr)
		qsort(t->rows, t->nr, sizeof(*t->rows), compare_rows);
	strbuf_addf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
		"viewBox=\"0 0 %d %zu\">\n<style>%s</style>\n"
		"<text class=\"title\" x=\"%d\" y=\"22\">",
		WIDTH, height, WIDTH, height, style, MARGIN);
	xml_text(out, t->title, strlen(t->title));
	strbuf_adds(out, "</text>\n");
	add_legend(t, out);
	add_axis(&a, t->nr, out);
	for (size_t i = 0; i < t->nr; i++)
		add_row(t, &a, i, out);
	strbuf_adds(out, "</svg>\n");
}
