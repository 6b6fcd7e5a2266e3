/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame_legend.h"
#include "flame_data.h"
#include "input/picture.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/leaves.h"
#include "model/waits.h"
#include "view/diff/diff.h"

#include <stdlib.h>
#include <string.h>

enum {
	LINE = 17, /* px */
	SWATCH = 12,
	BETWEEN = 16,
	CHAR = 7, /* width of a character in px, rather too large */
};

struct legend {
	struct strbuf *out;
	unsigned left, x, y, right; /* in px; x is the position of the next entry */
};

/* Adds an entry of ASCII text. */
static void add_entry(struct legend *l, const char *class, const char *text)
{
	unsigned width = SWATCH + 4 + CHAR * (unsigned)strlen(text);

	if (l->x > l->left && l->x + width > l->right) {
		l->x = l->left;
		l->y += LINE;
	}
	strbuf_addf(l->out,
		"<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>"
		"<text x=\"%u\" y=\"%u\">%s</text>\n",
		class, l->x, l->y, SWATCH, SWATCH, l->x + SWATCH + 4, l->y + SWATCH - 2, text);
	l->x += width + BETWEEN;
}

/* The weight of frames of a kind. Each stack counts once for inclusive. */
struct kind_weight {
	uint64_t self, inclusive;
};

static void weigh_kinds(
	const struct profile *p, const struct leaves *leaves, struct kind_weight *kinds)
{
	/* for each node, the kinds of it and its callers as bits 1 << kind */
	uint32_t *seen = xcalloc(p->nr_nodes, sizeof(*seen));

	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* a parent's number is below its children's */
		const struct profile_node *n = &p->nodes[i];
		enum frame_kind kind = p->frames[n->frame].kind;
		uint32_t above = seen[n->parent], bit = UINT32_C(1) << kind;

		seen[i] = above;
		if (leaves_is_state(leaves, i))
			continue;
		seen[i] = above | bit;
		add_capped(&kinds[kind].self, leaves_weight(leaves, i));
		if (!(above & bit))
			add_capped(&kinds[kind].inclusive, n->total);
	}
	free(seen);
}

/* Adds the weight of each state of waits. */
static void add_states(struct legend *l, const struct profile *p, const struct leaves *leaves)
{
	uint64_t *weights = xcalloc(p->nr_frames, sizeof(*weights));
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (leaves_is_state(leaves, i))
			add_capped(&weights[p->nodes[i].frame], p->nodes[i].total);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		size_t len;
		const char *name = profile_name(p, i, &len);

		if (!weights[i] || wait_number(name, len) < 0)
			continue;
		strbuf_reset(&text);
		strbuf_addf(&text, "%s ", name);
		percent_add(&text, weights[i], p->nodes[0].total);
		strbuf_adds(&text, " %");
		add_entry(l, flame_state_class(name, len).s, text.buf);
	}
	strbuf_release(&text);
	free(weights);
}

/* Appends " (incl. 99.70 %)", unless that is the self share, too. */
static void add_inclusive(struct strbuf *text, struct kind_weight weight, uint64_t total)
{
	if (weight.inclusive == weight.self)
		return;
	strbuf_adds(text, " (incl. ");
	percent_add(text, weight.inclusive, total);
	strbuf_adds(text, " %)");
}

static void add_kinds(struct legend *l, const struct profile *p)
{
	struct leaves leaves;

	struct kind_weight kinds[FRAME_KINDS] = {0};
	struct strbuf text = STRBUF_INIT;

	leaves_init(&leaves, p);
	weigh_kinds(p, &leaves, kinds);
	for (int kind = 0; kind < FRAME_KINDS; kind++) {
		if (!kinds[kind].inclusive)
			continue;
		strbuf_reset(&text);
		strbuf_addf(&text, "%s ", frame_kind_word((enum frame_kind)kind));
		percent_add(&text, kinds[kind].self, p->nodes[0].total);
		strbuf_adds(&text, " %");
		add_inclusive(&text, kinds[kind], p->nodes[0].total);
		add_entry(l, (char[]){picture_kind_letter((enum frame_kind)kind), '0', '\0'},
			text.buf);
	}
	add_states(l, p, &leaves);
	leaves_release(&leaves);
	strbuf_release(&text);
}

static void add_steps(struct legend *l, const struct diff_scale *scale)
{
	static const char *const texts[DIFF_STEPS] = {"gone", "less than half", "down to half",
		"down to 4/5", "same", "up to 5/4", "up to double", "more than double", "new"};

	for (int step = 0; step < DIFF_STEPS; step++) {
		const char *text = texts[step];

		if (step == DIFF_SAME && scale->samples)
			text = "same, or within chance";
		add_entry(l, flame_step_class(step).s, text);
	}
}

unsigned flame_legend_add(struct strbuf *out, const struct profile *p, const struct diff *diff,
	unsigned x, unsigned top, unsigned width)
{
	struct legend l = {.out = out, .left = x, .x = x, .y = top + 4, .right = x + width};

	strbuf_adds(out, "<g id=\"legend\">\n");
	if (diff)
		add_steps(&l, &diff->scale);
	else
		add_kinds(&l, p);
	strbuf_adds(out, "</g>\n");
	return l.y + LINE - (top + 4);
}
