/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture has all rows on one time axis. The script, src/web/timeline.js, reads it: rows and
 * bars have the attribute data-time, "FROM TO" in ms after the begin of the axis.
 */
#include "timeline_svg.h"
#include "lib/format/xml.h"
#include "lib/util.h"

#include <math.h>
#include <string.h>

static const char style[] =
#include "web/timeline_style.inc"
	;
static const char script[] =
#include "web/timeline_script.inc"
	;

enum {
	WIDTH = 1200, /* px, of the picture */
	PAD = 10,
	NAMES = 330, /* where the bars begin */
	ROW = 22,
	BAR = 11,
	THIN = 5,      /* below the bar */
	HEAD = 78,     /* title, legend and axis */
	CHAR = 7,      /* width of a character, rather too large, as fonts differ */
	TIME = 75,     /* width of a row's time */
	TICKS = 8,     /* approximate number on the axis */
	PRECISION = 3, /* digits of ms */
};

struct timeline_axis {
	double from, to, step; /* ms */
};

static double x_of(const struct timeline_axis *a, double ms)
{
	return NAMES + (ms - a->from) / (a->to - a->from) * (WIDTH - PAD - NAMES);
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

static struct timeline_axis make_axis(const struct timeline *t)
{
	struct timeline_axis a = {INFINITY, -INFINITY, 1};

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

static void add_axis(const struct timeline_axis *a, size_t nr_rows, struct strbuf *out)
{
	double unit = a->step >= 1000 ? 1000 : 1;

	for (double ms = 0; ms <= a->to - a->from; ms += a->step) {
		double x = x_of(a, a->from + ms);

		strbuf_addf(out,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%zu\"/>"
			"<text class=\"tick\" x=\"%.1f\" y=\"%d\">%g %s</text>\n",
			x, HEAD, x, HEAD + nr_rows * ROW, fmin(x, WIDTH - PAD - 3 * CHAR), HEAD - 5,
			ms / unit, unit > 1 ? "s" : "ms");
	}
}

static void add_kinds(const struct timeline *t, struct strbuf *out)
{
	int x = PAD;

	strbuf_adds(out, "<g id=\"legend\">\n");
	for (size_t i = 0; i < t->nr_kinds; i++) {
		const struct timeline_kind *k = &t->kinds[i];
		int height = k->is_thin ? THIN : BAR;

		strbuf_addf(out,
			"<g class=\"kind\"><rect class=\"q%u%s\" x=\"%d\" y=\"%d\" width=\"12\" "
			"height=\"%d\"/><text x=\"%d\" y=\"48\">%s</text></g>\n",
			k->shade, k->is_thin ? " thin" : "", x, 49 - height, height, x + 16,
			k->name);
		x += 16 + CHAR * (int)strlen(k->name) + 14;
	}
	strbuf_adds(out, "</g>\n");
}

static void add_time(const struct timeline_axis *a, double from, double to, struct strbuf *out)
{
	strbuf_addf(out, " data-time=\"%.*f %.*f\"", PRECISION, from - a->from, PRECISION,
		to - a->from);
}

static void add_bar(const struct timeline *t, const struct timeline_axis *a,
	const struct timeline_bar *b, double top, struct strbuf *out)
{
	const struct timeline_kind *k = &t->kinds[b->kind];
	double x = x_of(a, b->from), width = fmax(x_of(a, b->to) - x, 0.5);

	strbuf_addf(out, "<rect class=\"q%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"",
		k->shade, x, k->is_thin ? top + BAR : top, width, k->is_thin ? THIN : BAR);
	add_time(a, b->from, b->to, out);
	strbuf_adds(out, "/>\n");
}

/* Appends the time, right of the bars or, if they end too far right, left of them. */
static void add_length(
	const struct timeline_axis *a, const struct timeline_row *r, double y, struct strbuf *out)
{
	double x = x_of(a, r->to) + 5;
	bool fits = x + TIME < WIDTH;

	strbuf_addf(out, "<text class=\"length%s\" x=\"%.1f\" y=\"%.1f\">%.1f ms</text>\n",
		fits ? "" : " left", fits ? x : x_of(a, r->from) - 5, y, r->to - r->from);
}

static void add_detail(const struct strbuf *detail, struct strbuf *out)
{
	for (size_t at = 0, len; at < detail->len; at += len + 1) {
		len = strlen(detail->buf + at);
		strbuf_adds(out, at ? "\n" : "");
		xml_text(out, detail->buf + at, len);
	}
}

static void add_row(
	const struct timeline *t, const struct timeline_axis *a, size_t i, struct strbuf *out)
{
	const struct timeline_row *r = &t->rows[i];
	double top = HEAD + 3 + (double)i * ROW, y = top + 12;

	strbuf_adds(out, "<g class=\"row\"");
	add_time(a, r->from, r->to, out);
	strbuf_adds(out, " data-name=\"");
	xml_text(out, r->name.buf, r->name.len);
	strbuf_adds(out, "\"><title>");
	add_detail(&r->detail, out);
	strbuf_addf(out,
		"</title><rect class=\"paper\" x=\"0\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n"
		"<text x=\"%d\" y=\"%.1f\">",
		top - 3, NAMES - PAD, ROW, PAD, y);
	xml_text_cut(out, r->name.buf, r->name.len, (NAMES - 2 * PAD) / CHAR);
	strbuf_adds(out, "</text>\n");
	for (size_t k = 0; k < r->nr; k++)
		add_bar(t, a, &r->bars[k], top, out);
	add_length(a, r, y, out);
	strbuf_adds(out, "</g>\n");
}

static void add_head(const struct timeline *t, struct strbuf *out)
{
	size_t height = HEAD + t->nr * ROW + PAD;

	strbuf_addf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flametap timeline\" "
		"width=\"%d\" height=\"%zu\" viewBox=\"0 0 %d %zu\">\n<title>",
		WIDTH, height, WIDTH, height);
	xml_text(out, t->title, strlen(t->title));
	strbuf_addf(out,
		"</title>\n<style><![CDATA[%s]]></style>\n"
		"<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
		"<g id=\"static\" data-things=\"%s\"><text id=\"title\" x=\"%d\" y=\"23\">",
		style, t->things, PAD);
	xml_text(out, t->title, strlen(t->title));
	strbuf_adds(out, "</text>\n");
}

int view_timeline(struct timeline *t, FILE *out, struct strbuf *err)
{
	struct timeline_axis a = make_axis(t);
	struct strbuf text = STRBUF_INIT;

	timeline_sort(t);
	add_head(t, &text);
	add_kinds(t, &text);
	add_axis(&a, t->nr, &text);
	for (size_t i = 0; i < t->nr; i++)
		add_row(t, &a, i, &text);
	strbuf_addf(&text, "</g>\n<script><![CDATA[%s]]></script>\n</svg>\n", script);
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return written(out, err);
}
