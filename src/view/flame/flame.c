/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flame graph as one SVG file. It contains a static picture of all frames that are wide enough,
 * the whole tree as data (input/picture.h), and the script of src/web, which draws from the data
 * where scripts run. Script and style are identical in all files, so that one
 * Content-Security-Policy hash for each of them fits all files.
 */
#include "flame_data.h"
#include "flame_legend.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/format/xml.h"
#include "model/amount.h"
#include "model/leaves.h"
#include "view/diff/diff.h"
#include "view/preorder.h"
#include "view/report/categories.h"
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char style[] =
#include "web/style.inc"
	;
static const char script[] =
#include "web/script.inc"
	;
const char view_flame_policy[] =
#include "web/policy.inc"
	;

enum {
	WIDTH = 1200,
	PAD = 10,  /* px around the frames */
	ROW = 17,  /* px per level; a frame has one less */
	CHAR = 74, /* width of a character in tenths of a px; rather too large, as fonts differ */
	NARROWEST = 3, /* minimum width of a frame in px */
	MANY = 10000,  /* approximate maximum number of frames in the static picture */
};

struct picture {
	const struct profile *p;
	const struct diff *diff; /* NULL if there is none; otherwise p is its tree */
	const struct flame_options *options;
	struct leaves
		leaves; /* the states of waits, which are the colours of parts of their leaves */
	FILE *out;
	struct strbuf text; /* not yet written */
	struct strbuf unit; /* the unit as XML */
	const char *unit_word;
	const char *title;
	unsigned width; /* width of the file in px */
	unsigned top;   /* y of the first row, px */
	unsigned rows;
	double narrowest; /* px; narrower frames are left out */
	uint64_t least;   /* the corresponding weight */
	double factor;
};

/* Returns the width of WEIGHT in tenths of a px, rounded down. */
static uint64_t tenths(const struct picture *pic, uint64_t weight)
{
	uint64_t total = pic->p->nodes[0].total;
	unsigned __int128 width = 10 * (pic->width - 2 * PAD);

	return total ? (uint64_t)(weight * width / total) : 0;
}

static void set_narrowest(struct picture *pic, double px)
{
	double total = (double)pic->p->nodes[0].total;
	double least = ceil(px / (pic->width - 2 * PAD) * total);

	pic->narrowest = px;
	pic->least = least < 1 ? 1 : least < total ? (uint64_t)least : pic->p->nodes[0].total;
}

/* Returns whether NODE is a state that is drawn as the colour of the function that waits. */
static bool is_colour(const struct picture *pic, uint32_t node)
{
	return !pic->diff && !pic->p->reversed && leaves_is_state(&pic->leaves, node);
}

/* Moves to the next node that is a frame of its own and wide enough. Returns false at the end. */
static bool next_frame(const struct picture *pic, struct preorder *w)
{
	bool more = preorder_next(w);

	while (more && (pic->p->nodes[w->node].total < pic->least || is_colour(pic, w->node)))
		more = preorder_over(w);
	return more;
}

/* Counts the frames to be drawn, and their levels. */
static size_t count_frames(struct picture *pic)
{
	struct preorder w = preorder_begin(pic->p);
	size_t nr = 0;
	bool more = true;

	pic->rows = 0;
	while (more) {
		nr++;
		if (w.depth >= pic->rows)
			pic->rows = w.depth + 1;
		more = next_frame(pic, &w);
	}
	return nr;
}

static void choose_frames(struct picture *pic)
{
	double px = pic->options->min_width;

	switch (pic->options->min_width_is) {
	case MIN_WIDTH_AUTO:
		for (px = NARROWEST; px < pic->width; px *= 2) {
			set_narrowest(pic, px);
			if (count_frames(pic) <= MANY)
				break;
		}
		return;
	case MIN_WIDTH_PERCENT:
		px *= (pic->width - 2 * PAD) / 100.0;
		break;
	case MIN_WIDTH_PX:
		break;
	}
	set_narrowest(pic, px);
	count_frames(pic);
}

/* Appends a weight as it is shown, with its unit. Bytes are shown twice, in MiB and exactly. */
static void add_amount(struct picture *pic, uint64_t weight)
{
	double shown = (double)weight * pic->factor, whole = floor(shown + 0.5);
	bool is_scaled = amount_width(pic->unit_word);

	if (is_scaled)
		amount_add_scaled(&pic->text, shown, pic->unit_word);
	if (is_scaled && !amount_hides_digits(shown, pic->unit_word))
		return;
	if (is_scaled)
		strbuf_adds(&pic->text, " = ");
	if (pic->factor != 1)
		weight = whole < 0x1p64 ? (uint64_t)whole : UINT64_MAX;
	amount_add_grouped(&pic->text, weight);
	strbuf_addch(&pic->text, ' ');
	strbuf_add(&pic->text, pic->unit.buf, pic->unit.len);
}

static void add_px(struct strbuf *out, const char *name, uint64_t in_tenths)
{
	strbuf_addf(out, " %s=\"%" PRIu64, name, in_tenths / 10);
	if (in_tenths % 10)
		strbuf_addf(out, ".%d", (int)(in_tenths % 10));
	strbuf_addch(out, '"');
}

/* Appends "1,302 samples, 12.50 %". */
static void add_weight(struct picture *pic, uint64_t weight, uint64_t total)
{
	add_amount(pic, weight);
	strbuf_adds(&pic->text, ", ");
	percent_add(&pic->text, weight, total);
	strbuf_adds(&pic->text, " %");
}

static void add_frame_weight(struct picture *pic, uint32_t node)
{
	if (!pic->diff) {
		add_weight(pic, pic->p->nodes[node].total, pic->p->nodes[0].total);
		return;
	}
	add_weight(pic, pic->diff->inclusive[node].before, pic->diff->scale.total.before);
	strbuf_adds(&pic->text, " → ");
	add_weight(pic, pic->diff->inclusive[node].after, pic->diff->scale.total.after);
}

static struct flame_class class_of(const struct picture *pic, uint32_t node)
{
	if (pic->diff)
		return flame_step_class(diff_step(&pic->diff->scale, pic->diff->inclusive[node]));
	if (!node)
		return (struct flame_class){"r0"};
	return flame_class(pic->p, pic->p->nodes[node].frame);
}

static void add_box(struct picture *pic, const char *name, uint64_t x, unsigned y, uint64_t width)
{
	strbuf_addf(&pic->text, "<rect class=\"%s\"", name);
	add_px(&pic->text, "x", PAD * 10 + x);
	strbuf_addf(&pic->text, " y=\"%u\"", y);
	add_px(&pic->text, "width", width);
	strbuf_addf(&pic->text, " height=\"%d\"/>", ROW - 1);
}

/* Draws the part of a frame that no callee covers, if its weight changed in another way. */
static void add_own(struct picture *pic, uint32_t number, uint64_t x, unsigned y)
{
	const struct profile_node *node = &pic->p->nodes[number];
	uint64_t width = tenths(pic, node->self);
	int own = pic->diff ? diff_step(&pic->diff->scale, pic->diff->self[number]) : 0;

	if (pic->diff && node->self < node->total && width >= 5 &&
		own != diff_step(&pic->diff->scale, pic->diff->inclusive[number]))
		add_box(pic, flame_step_class(own).s, x, y, width);
}

/*
 * Whether a name is a path, perhaps with a line, whose end says more than its beginning. graph.js
 * judges in the same way.
 */
static bool is_path(const char *name, size_t len)
{
	size_t dots = 0;

	while (dots < len && dots < 2 && name[dots] == '.')
		dots++;
	if (dots == len || name[dots] != '/')
		return false;
	for (size_t i = 0; i < len; i++)
		if (strchr(" ()<", name[i]))
			return false;
	return true;
}

static void add_title(struct picture *pic, uint32_t node, const char *name, size_t len)
{
	strbuf_adds(&pic->text, "<g><title>");
	xml_text(&pic->text, name, len);
	strbuf_adds(&pic->text, " (");
	add_frame_weight(pic, node);
	strbuf_adds(&pic->text, ")</title>");
}

/* Colours the parts of a frame at X that have waited in one state each. */
static void add_states(struct picture *pic, const struct preorder *w, unsigned y)
{
	const struct profile_node *nodes = pic->p->nodes;
	uint64_t start = w->start + nodes[w->node].self;

	for (uint32_t c = nodes[w->node].child; c; start += nodes[c].total, c = nodes[c].next) {
		uint64_t width = tenths(pic, nodes[c].total);
		size_t len;
		const char *name = profile_name(pic->p, nodes[c].frame, &len);

		if (!is_colour(pic, c) || nodes[c].total < pic->least)
			continue;
		add_title(pic, c, name, len);
		add_box(pic, flame_state_class(name, len).s, tenths(pic, start), y,
			width > 30 ? width - 8 : width);
		strbuf_adds(&pic->text, "</g>");
	}
}

static void add_frame(struct picture *pic, const struct preorder *w)
{
	const struct profile_node *node = &pic->p->nodes[w->node];
	struct strbuf *text = &pic->text;
	size_t len = strlen("all");
	const char *name = w->node ? profile_name(pic->p, node->frame, &len) : "all";
	uint64_t x = tenths(pic, w->start), width = tenths(pic, node->total);
	unsigned level = pic->options->inverted ? w->depth : pic->rows - 1 - w->depth;
	unsigned y = pic->top + level * ROW;

	add_title(pic, w->node, name, len);
	add_box(pic, class_of(pic, w->node).s, x, y, width > 30 ? width - 8 : width);
	add_own(pic, w->node, x, y);
	add_states(pic, w, y);
	if (width >= 60 + 2 * CHAR) {
		strbuf_adds(text, "<text");
		add_px(text, "x", PAD * 10 + x + 30);
		strbuf_addf(text, " y=\"%u\">", y + 12);
		(is_path(name, len) ? xml_path_cut : xml_text_cut)(
			text, name, len, (width - 60) / CHAR);
		strbuf_adds(text, "</text>");
	}
	strbuf_adds(text, "</g>\n");
}

static void write_frames(struct picture *pic)
{
	struct preorder w = preorder_begin(pic->p);
	bool more = true;

	strbuf_adds(&pic->text, "<g id=\"frames\">\n");
	while (more) {
		add_frame(pic, &w);
		if (pic->text.len > 1 << 16)
			strbuf_flush(&pic->text, pic->out);
		more = next_frame(pic, &w);
	}
	strbuf_adds(&pic->text, "</g>\n");
}

/* Adds a line of the heading, truncated to the width. */
static void add_line(struct picture *pic, struct strbuf *out, const char *id, const char *s,
	unsigned height, unsigned char_tenths)
{
	pic->top += height;
	strbuf_addf(out, "<text id=\"%s\" x=\"%d\" y=\"%u\">", id, PAD, pic->top - 5);
	xml_text_cut(out, s, strlen(s), 10 * (pic->width - 2 * PAD) / char_tenths);
	strbuf_adds(out, "</text>\n");
}

static void add_account(struct picture *pic, struct strbuf *head, unsigned shift)
{
	struct strbuf line = STRBUF_INIT;

	if (pic->p->account.known)
		account_line(&pic->p->account, &pic->p->timing, pic->p->unit, &line);
	if (shift)
		strbuf_addf(&line, "%sthe script's weights are multiples of %" PRIu64,
			line.len ? "; " : "", UINT64_C(1) << shift);
	if (line.len)
		add_line(pic, head, "account", line.buf, 17, 65);
	strbuf_release(&line);
}

/* Adds what was recorded, below the frames. Returns the height of this line. */
static unsigned add_foot(struct picture *pic, struct strbuf *out, unsigned y)
{
	struct strbuf line = STRBUF_INIT;
	bool any;

	if (!pic->diff)
		origin_add_line(&pic->p->origin, &pic->p->timing, &line);
	any = line.len;
	if (any) {
		strbuf_addf(out, "<text id=\"foot\" x=\"%d\" y=\"%u\">", PAD, y + 7);
		xml_text_cut(out, line.buf, line.len, 10 * (pic->width - 2 * PAD) / 65);
		strbuf_adds(out, "</text>\n");
	}
	strbuf_release(&line);
	return any ? 17 : 0;
}

static void add_desc(struct picture *pic)
{
	struct strbuf *text = &pic->text, line = STRBUF_INIT;
	const char *notes = pic->options->notes;

	strbuf_adds(text, "<desc>");
	if (notes) {
		xml_text(text, notes, strlen(notes));
		strbuf_adds(text, "; ");
	}
	add_frame_weight(pic, 0);
	strbuf_adds(text, "; ");
	if (pic->p->account.known) {
		account_line(&pic->p->account, &pic->p->timing, pic->p->unit, &line);
		xml_text(text, line.buf, line.len);
		strbuf_adds(text, "; ");
	}
	strbuf_addf(text,
		"frames narrower than %.3g px are drawn when a script runs, from the "
		"data in the file, which are complete</desc>\n",
		pic->narrowest);
	strbuf_release(&line);
}

/* Stripes for notes, and for new and gone frames of a difference. */
static const char patterns[] =
	"<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	"patternTransform=\"rotate(45)\"><rect class=\"h0\" width=\"6\" height=\"6\"/>"
	"<rect class=\"h1\" width=\"2\" height=\"6\"/></pattern>\n"
	"<pattern id=\"hatch-gone\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	"patternTransform=\"rotate(-45)\"><rect class=\"gone0\" width=\"6\" height=\"6\"/>"
	"<rect class=\"gone1\" width=\"2\" height=\"6\"/></pattern>\n"
	"<pattern id=\"hatch-new\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	"patternTransform=\"rotate(45)\"><rect class=\"new0\" width=\"6\" height=\"6\"/>"
	"<rect class=\"new1\" width=\"2\" height=\"6\"/></pattern></defs>\n";

static void write_head(struct picture *pic, unsigned shift)
{
	struct strbuf head = STRBUF_INIT;
	const char *subtitle = pic->options->subtitle;
	unsigned height;

	pic->top = 6;
	add_line(pic, &head, "title", pic->title, 22, 95);
	if (subtitle && *subtitle)
		add_line(pic, &head, "subtitle", subtitle, 18, CHAR);
	add_account(pic, &head, shift);
	if (pic->p->nodes[0].total)
		pic->top += flame_legend_add(
			&head, pic->p, pic->diff, PAD, pic->top, pic->width - 2 * PAD);
	pic->top += 5;
	height = pic->top + pic->rows * ROW + PAD;
	height += add_foot(pic, &head, height);
	strbuf_addf(&pic->text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flametap\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
		pic->width, height, pic->width, height);
	xml_text(&pic->text, pic->title, strlen(pic->title));
	strbuf_adds(&pic->text, "</title>\n");
	add_desc(pic);
	strbuf_addf(&pic->text, "<style><![CDATA[%s]]></style>\n", style);
	strbuf_adds(&pic->text, patterns);
	strbuf_adds(&pic->text, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	strbuf_add(&pic->text, head.buf, head.len);
	strbuf_release(&head);
}

static void write_nothing(struct picture *pic)
{
	pic->rows = 2;
	write_head(pic, 0);
	strbuf_addf(&pic->text, "<text x=\"%d\" y=\"%u\">no ", PAD, pic->top + ROW);
	strbuf_add(&pic->text, pic->unit.buf, pic->unit.len);
	strbuf_adds(&pic->text, "</text>\n</svg>\n");
	strbuf_flush(&pic->text, pic->out);
}

static void write_all(struct picture *pic)
{
	struct categories categories;
	struct flame_data data = {
		.p = pic->p,
		.diff = pic->diff,
		.categories = &categories,
		.shown = pic->options->unit,
		.factor = pic->factor,
		.inverted = pic->options->inverted,
	};

	choose_frames(pic);
	write_head(pic, flame_scale_shift(&data));
	write_frames(pic);
	strbuf_adds(&pic->text, "<metadata>\n");
	strbuf_flush(&pic->text, pic->out);
	categories_init(&categories, pic->p, pic->options->rules);
	flame_data_write(&data, pic->out);
	categories_release(&categories);
	strbuf_addf(&pic->text, "</metadata>\n<script><![CDATA[%s]]></script>\n</svg>\n", script);
	strbuf_flush(&pic->text, pic->out);
}

static int draw(const struct profile *p, const struct diff *diff,
	const struct flame_options *options, FILE *out, struct strbuf *err)
{
	struct picture pic = {
		.p = p,
		.diff = diff,
		.options = options,
		.out = out,
		.text = STRBUF_INIT,
		.unit = STRBUF_INIT,
		.width = options->width ? options->width : WIDTH,
		.factor = options->factor ? options->factor : 1,
	};
	const char *unit = options->unit ? options->unit : p->unit;
	struct strbuf title = STRBUF_INIT;

	leaves_init(&pic.leaves, p);
	if (options->title)
		strbuf_adds(&title, options->title);
	else
		profile_heading(p, &title);
	if (!title.len && !options->title)
		strbuf_adds(&title, diff ? "Difference" : "Flame graph");
	pic.title = title.buf;
	if (pic.width < FLAME_WIDTH_MIN)
		pic.width = FLAME_WIDTH_MIN;
	pic.unit_word = unit;
	xml_text(&pic.unit, unit, strlen(unit));
	if (p->nodes[0].total)
		write_all(&pic);
	else
		write_nothing(&pic);
	leaves_release(&pic.leaves);
	strbuf_release(&pic.text);
	strbuf_release(&pic.unit);
	strbuf_release(&title);
	return written(out, err);
}

int view_flame(
	const struct profile *p, const struct flame_options *options, FILE *out, struct strbuf *err)
{
	return draw(p, NULL, options, out, err);
}

int view_flame_diff(
	const struct diff *diff, const struct flame_options *options, FILE *out, struct strbuf *err)
{
	return draw(&diff->tree, diff, options, out, err);
}
