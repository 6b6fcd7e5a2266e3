/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes folded lines in byte order, generated from the tree with only one line in memory. */
#include "input/folded.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The line of a node, or all lines below it. */
struct fold_part {
	uint32_t node;
	bool below;
	size_t prefix; /* length of the line before the node's own text */
};

struct folder {
	const struct profile *p;
	const struct strpool *texts;
	const uint32_t *text_of; /* for each frame, its text */
	FILE *out;
	struct fold_part *parts; /* to be written, in reverse order */
	size_t nr, alloc;
	struct strbuf line;
};

enum { TAIL_MAX = 32 }; /* longer than any weight */

/*
 * Sets TAIL to the known beginning of the part's lines after the first FROM bytes, at most TAIL_MAX
 * bytes.
 */
static void tail_of(const struct folder *f, const struct fold_part *part, size_t from, char *tail)
{
	const struct profile_node *node = &f->p->nodes[part->node];
	const char *text = strpool_get(f->texts, f->text_of[node->frame]) + from;

	if (part->below)
		snprintf(tail, TAIL_MAX, "%s;", text);
	else
		snprintf(tail, TAIL_MAX, "%s %" PRIu64, text, node->self);
}

/*
 * Compares parts of siblings, whose texts differ. No text contains ";" or NUL, so the text and the
 * part of the lines that is known after it are always sufficient.
 */
static int compare_parts(const void *va, const void *vb, void *arg)
{
	const struct folder *f = arg;
	const struct fold_part *a = va, *b = vb;
	uint32_t ta = f->text_of[f->p->nodes[a->node].frame];
	uint32_t tb = f->text_of[f->p->nodes[b->node].frame];
	size_t la = strpool_len(f->texts, ta), lb = strpool_len(f->texts, tb);
	size_t both = la < lb ? la : lb;
	int c = memcmp(strpool_get(f->texts, ta), strpool_get(f->texts, tb), both);
	char tail_a[TAIL_MAX], tail_b[TAIL_MAX];

	if (c)
		return c;
	if (la == lb) /* the same node: " " comes before ";" */
		return (a->below > b->below) - (a->below < b->below);
	tail_of(f, a, both, tail_a);
	tail_of(f, b, both, tail_b);
	return strcmp(tail_a, tail_b);
}

static void push(struct folder *f, uint32_t node, bool below)
{
	ALLOC_GROW(f->parts, f->nr, f->alloc);
	f->parts[f->nr++] = (struct fold_part){node, below, f->line.len};
}

static void push_children(struct folder *f, uint32_t node)
{
	const struct profile_node *nodes = f->p->nodes;
	size_t first = f->nr;

	for (uint32_t c = nodes[node].child; c; c = nodes[c].next) {
		if (nodes[c].self)
			push(f, c, false);
		if (nodes[c].child)
			push(f, c, true);
	}
	if (f->nr - first < 2)
		return;
	qsort_r(f->parts + first, f->nr - first, sizeof(*f->parts), compare_parts, f);
	for (size_t i = first, k = f->nr - 1; i < k; i++, k--) {
		struct fold_part part = f->parts[i];

		f->parts[i] = f->parts[k];
		f->parts[k] = part;
	}
}

static void write_part(struct folder *f, const struct fold_part *part)
{
	const struct profile_node *node = &f->p->nodes[part->node];
	uint32_t text = f->text_of[node->frame];

	f->line.len = part->prefix;
	strbuf_add(&f->line, strpool_get(f->texts, text), strpool_len(f->texts, text));
	if (part->below) {
		strbuf_addch(&f->line, ';');
		push_children(f, part->node);
		return;
	}
	strbuf_addch(&f->line, ' ');
	strbuf_addu(&f->line, node->self);
	strbuf_addch(&f->line, '\n');
	fwrite(f->line.buf, 1, f->line.len, f->out);
}

/* Builds the tree with frames of the same text merged. */
static void merge(const struct profile *p, const struct strpool *texts, uint32_t *text_of,
	struct profile *merged)
{
	uint32_t *frame_of = xcalloc(p->nr_frames, sizeof(*frame_of));

	profile_init(merged);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		uint32_t text = text_of[i];

		frame_of[i] = profile_frame(merged, FRAME_USER, strpool_get(texts, text),
			strpool_len(texts, text), NULL, 0);
		text_of[frame_of[i]] = text; /* the frame is never above I */
	}
	profile_add_tree(merged, p, frame_of);
	free(frame_of);
}

/* Fills TEXTS. Returns true if two frames have the same text. */
static bool add_texts(const struct profile *p, struct strpool *texts, uint32_t *text_of)
{
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		strbuf_reset(&text);
		folded_frame_add(&text, p, i);
		text_of[i] = strpool_add(texts, text.buf, text.len);
	}
	strbuf_release(&text);
	return texts->nr < p->nr_frames;
}

int view_folded(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct strpool texts;
	struct profile merged = {0};
	uint32_t *text_of = xcalloc(p->nr_frames, sizeof(*text_of));
	struct folder f = {
		.p = p,
		.texts = &texts,
		.text_of = text_of,
		.out = out,
		.line = STRBUF_INIT,
	};

	strpool_init(&texts);
	if (add_texts(p, &texts, text_of)) {
		merge(p, &texts, text_of, &merged);
		f.p = &merged;
	}
	push_children(&f, 0);
	while (f.nr) {
		struct fold_part part = f.parts[--f.nr];

		write_part(&f, &part);
	}
	if (f.p == &merged)
		profile_release(&merged);
	strpool_release(&texts);
	strbuf_release(&f.line);
	free(f.parts);
	free(text_of);
	return written(out, err);
}
