/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flame graph as one SVG file: a picture of all frames that are wide enough, readable
 * everywhere; the whole tree as data (flame_data.h); and web/tree.js with web/flame.js, which draw
 * from the data where scripts run. Script and style are the same bytes in every file, so that one
 * Content-Security-Policy hash each fits all.
 */
#include "view.h"
#include "flame_data.h"
#include "walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/xml.h"

#include <inttypes.h>
#include <string.h>

static const char style[] =
#include "web/flame.css.inc"
	;
static const char script[] =
#include "web/tree.js.inc"
#include "web/flame.js.inc"
	;

enum {
	WIDTH = 1200,
	WIDTH_MIN = 100,
	PAD = 10,     /* px round the frames */
	ROW = 17,     /* px from one level to the next; a frame is one less */
	CHAR = 74,    /* tenths of a px that a character takes, on the large side: fonts differ */
	MANY = 10000, /* frames that a picture without scripts should have at most */
};

struct picture {
	const struct profile *p;
	FILE *out;
	struct strbuf text; /* not yet written */
	struct strbuf unit; /* as XML */
	const char *title;
	unsigned width; /* of the file, px */
	unsigned top;   /* where the frames begin, px */
	unsigned rows;
	uint64_t narrowest; /* that is drawn, in tenths of a px */
	bool inverted;
};

/* WEIGHT's share of all in PARTS, rounded to the nearest or down. */
static uint64_t share(const struct picture *pic, uint64_t weight, uint64_t parts, bool nearest)
{
	uint64_t total = pic->p->nodes[0].total;
	unsigned __int128 product = (unsigned __int128)weight * parts + (nearest ? total / 2 : 0);

	return total ? (uint64_t)(product / total) : 0;
}

static uint64_t tenths(const struct picture *pic, uint64_t weight)
{
	return share(pic, weight, 10 * (uint64_t)(pic->width - 2 * PAD), false);
}

/* Frames that would be drawn, and how many levels they have. */
static size_t count_frames(struct picture *pic)
{
	struct walk w = walk_begin(pic->p);
	size_t nr = 0;
	bool more = true;

	pic->rows = 0;
	while (more) {
		if (tenths(pic, pic->p->nodes[w.node].total) < pic->narrowest) {
			more = walk_over(&w);
			continue;
		}
		nr++;
		if (w.depth >= pic->rows)
			pic->rows = w.depth + 1;
		more = walk_next(&w);
	}
	return nr;
}

static void choose_frames(struct picture *pic)
{
	pic->narrowest = 30;
	while (count_frames(pic) > MANY && pic->narrowest < 5 * (uint64_t)pic->width)
		pic->narrowest *= 2;
}

static void add_grouped(struct strbuf *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

static void add_px(struct strbuf *out, const char *name, uint64_t in_tenths)
{
	strbuf_addf(out, " %s=\"%" PRIu64, name, in_tenths / 10);
	if (in_tenths % 10)
		strbuf_addf(out, ".%d", (int)(in_tenths % 10));
	strbuf_addch(out, '"');
}

static void add_frame(struct picture *pic, const struct walk *w)
{
	const struct profile_node *node = &pic->p->nodes[w->node];
	struct strbuf *text = &pic->text;
	size_t len = strlen("all");
	const char *name = w->node ? profile_name(pic->p, node->frame, &len) : "all";
	uint64_t x = tenths(pic, w->start), width = tenths(pic, node->total);
	uint64_t percent = share(pic, node->total, 10000, true);
	unsigned level = pic->inverted ? w->depth : pic->rows - 1 - w->depth;
	unsigned y = pic->top + level * ROW;

	strbuf_adds(text, "<g><title>");
	xml_text(text, name, len);
	strbuf_adds(text, " (");
	add_grouped(text, node->total);
	strbuf_addf(text, " %s, %" PRIu64 ".%02d %%)</title><rect class=\"%s\"", pic->unit.buf,
		percent / 100, (int)(percent % 100),
		w->node ? flame_class(pic->p, node->frame).s : "r0");
	add_px(text, "x", PAD * 10 + x);
	strbuf_addf(text, " y=\"%u\"", y);
	add_px(text, "width", width > 30 ? width - 8 : width);
	strbuf_addf(text, " height=\"%d\"/>", ROW - 1);
	if (width >= 60 + 2 * CHAR) {
		strbuf_adds(text, "<text");
		add_px(text, "x", PAD * 10 + x + 30);
		strbuf_addf(text, " y=\"%u\">", y + 12);
		xml_text_cut(text, name, len, (width - 60) / CHAR);
		strbuf_adds(text, "</text>");
	}
	strbuf_adds(text, "</g>\n");
}

static void write_frames(struct picture *pic)
{
	struct walk w = walk_begin(pic->p);
	bool more = true;

	strbuf_adds(&pic->text, "<g id=\"frames\">\n");
	while (more) {
		if (tenths(pic, pic->p->nodes[w.node].total) < pic->narrowest) {
			more = walk_over(&w);
			continue;
		}
		add_frame(pic, &w);
		if (pic->text.len > 1 << 16)
			strbuf_flush(&pic->text, pic->out);
		more = walk_next(&w);
	}
	strbuf_adds(&pic->text, "</g>\n");
}

/* A line of the head, cut to the width. */
static void add_line(struct picture *pic, struct strbuf *out, const char *id, const char *s,
	unsigned height, unsigned char_tenths)
{
	pic->top += height;
	strbuf_addf(out, "<text id=\"%s\" x=\"%d\" y=\"%u\">", id, PAD, pic->top - 5);
	xml_text_cut(out, s, strlen(s), 10 * (pic->width - 2 * PAD) / char_tenths);
	strbuf_adds(out, "</text>\n");
}

static void add_account(struct picture *pic, struct strbuf *head)
{
	struct strbuf line = STRBUF_INIT;
	uint64_t scale = flame_scale(pic->p);

	if (pic->p->account.known)
		account_line(&pic->p->account, pic->p->unit, &line);
	if (scale > 1)
		strbuf_addf(&line, "%sthe script's weights are multiples of %" PRIu64,
			line.len ? "; " : "", scale);
	if (line.len)
		add_line(pic, head, "account", line.buf, 17, 65);
	strbuf_release(&line);
}

static void add_desc(struct picture *pic)
{
	struct strbuf *text = &pic->text, line = STRBUF_INIT;

	strbuf_adds(text, "<desc>");
	add_grouped(text, pic->p->nodes[0].total);
	strbuf_addf(text, " %s; ", pic->unit.buf);
	if (pic->p->account.known) {
		account_line(&pic->p->account, pic->p->unit, &line);
		xml_text(text, line.buf, line.len);
		strbuf_adds(text, "; ");
	}
	strbuf_addf(text,
		"frames narrower than %d px are drawn when a script runs, from the "
		"data in the file, which are complete</desc>\n",
		(int)(pic->narrowest / 10));
	strbuf_release(&line);
}

static void write_head(struct picture *pic, const struct flame_options *options)
{
	struct strbuf head = STRBUF_INIT;
	unsigned height;

	pic->top = 6;
	add_line(pic, &head, "title", pic->title, 22, 95);
	if (options->subtitle && *options->subtitle)
		add_line(pic, &head, "subtitle", options->subtitle, 18, CHAR);
	add_account(pic, &head);
	pic->top += 5;
	height = pic->top + pic->rows * ROW + PAD;
	strbuf_addf(&pic->text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flametap\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		pic->width, height, pic->width, height);
	xml_text(&pic->text, pic->title, strlen(pic->title));
	strbuf_adds(&pic->text, "</title>\n");
	add_desc(pic);
	strbuf_addf(&pic->text, "<style><![CDATA[%s]]></style>\n", style);
	strbuf_adds(&pic->text, "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
				"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
				"<rect class=\"h0\" width=\"6\" height=\"6\"/>"
				"<rect class=\"h1\" width=\"2\" height=\"6\"/></pattern></defs>\n"
				"<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	strbuf_add(&pic->text, head.buf, head.len);
	strbuf_release(&head);
}

static void write_nothing(struct picture *pic, const struct flame_options *options)
{
	pic->rows = 2;
	write_head(pic, options);
	strbuf_addf(&pic->text, "<text x=\"%d\" y=\"%u\">no ", PAD, pic->top + ROW);
	strbuf_add(&pic->text, pic->unit.buf, pic->unit.len);
	strbuf_adds(&pic->text, "</text>\n</svg>\n");
	strbuf_flush(&pic->text, pic->out);
}

static void write_all(struct picture *pic, const struct flame_options *options)
{
	choose_frames(pic);
	write_head(pic, options);
	write_frames(pic);
	strbuf_adds(&pic->text, "<metadata>\n");
	strbuf_flush(&pic->text, pic->out);
	flame_data_write(pic->p, pic->inverted, pic->out);
	strbuf_addf(&pic->text, "</metadata>\n<script><![CDATA[%s]]></script>\n</svg>\n", script);
	strbuf_flush(&pic->text, pic->out);
}

int view_flame(
	const struct profile *p, const struct flame_options *options, FILE *out, struct strbuf *err)
{
	struct picture pic = {
		.p = p,
		.out = out,
		.text = STRBUF_INIT,
		.unit = STRBUF_INIT,
		.title = options->title ? options->title
			 : p->title     ? p->title
					: "Flame graph",
		.width = options->width ? options->width : WIDTH,
		.inverted = options->inverted,
	};

	if (pic.width < WIDTH_MIN)
		pic.width = WIDTH_MIN;
	xml_text(&pic.unit, p->unit, strlen(p->unit));
	if (p->nodes[0].total)
		write_all(&pic, options);
	else
		write_nothing(&pic, options);
	strbuf_release(&pic.text);
	strbuf_release(&pic.unit);
	return written(out, err);
}
