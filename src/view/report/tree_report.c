/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree_report.h"
#include "input/folded.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "model/amount.h"
#include "symbol/names/short_name.h"
#include "view/function_match.h"

#include <inttypes.h>
#include <stdlib.h>

enum { INDENT = 2 };

/* A branch that is not written yet: a node, or the rest of its parent's branches. */
struct branch {
	uint32_t node; /* 0 for the rest */
	uint32_t nr;   /* branches in the rest */
	uint64_t total;
	unsigned depth;  /* frames from the root */
	unsigned indent; /* lines from the root */
};

struct tree {
	const struct profile *p;
	const struct tree_options *options;
	struct grid grid;
	struct branch *branches; /* to be written, in reverse order */
	size_t nr, alloc;
};

/* ---- the tree of a function ---- */

static bool matches(const struct profile *p, const struct function_match *fn, uint32_t node)
{
	return node && function_match_frame(fn, p, p->nodes[node].frame);
}

/* Adds the branches below the outermost calls of the functions to OUT. */
static void add_callees(
	struct profile *out, const struct profile *p, const struct function_match *fn)
{
	uint32_t *frame_of = profile_import_frames(out, p);
	uint32_t *node_of = xcalloc(p->nr_nodes, sizeof(*node_of));

	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* a parent's number is below its children's */
		const struct profile_node *n = &p->nodes[i];

		if (!node_of[n->parent] && !matches(p, fn, i))
			continue;
		node_of[i] = profile_child(out, node_of[n->parent], frame_of[n->frame]);
		add_capped(&out->nodes[node_of[i]].self, n->self);
	}
	free(node_of);
	free(frame_of);
}

/* Adds the callers of the outermost calls of the functions to OUT, the function at the root. */
static void add_callers(
	struct profile *out, const struct profile *p, const struct function_match *fn)
{
	uint32_t *frame_of = profile_import_frames(out, p);
	bool *is_below = xcalloc(p->nr_nodes, sizeof(*is_below));

	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];
		bool is_fn = matches(p, fn, i);
		uint32_t at = 0;

		is_below[i] = is_below[n->parent] || is_fn;
		if (!is_fn || is_below[n->parent])
			continue;
		for (uint32_t from = i; from; from = p->nodes[from].parent)
			at = profile_child(out, at, frame_of[p->nodes[from].frame]);
		add_capped(&out->nodes[at].self, n->total);
	}
	free(is_below);
	free(frame_of);
}

/* ---- the order of the lines ---- */

static bool is_heavy(const struct tree *t, uint64_t total)
{
	return (double)total * 100 >= (double)t->p->nodes[0].total * t->options->min_share;
}

static void push(struct tree *t, struct branch branch)
{
	ALLOC_GROW(t->branches, t->nr, t->alloc);
	t->branches[t->nr++] = branch;
}

/* The lightest branch first, because the last one is written first. */
static int compare_branches(const void *va, const void *vb, void *arg)
{
	const struct branch *a = va, *b = vb;
	const struct profile *p = arg;

	if (a->total != b->total)
		return compare_u64(a->total, b->total);
	return -profile_compare_frames(p, p->nodes[a->node].frame, p->nodes[b->node].frame);
}

/* Pushes the branches below PARENT, heavy ones so that they are written before the others. */
static void push_children(struct tree *t, const struct branch *parent, unsigned indent)
{
	struct branch rest = {.depth = parent->depth + 1, .indent = indent};
	size_t first = t->nr;

	if (t->options->depth && parent->depth >= t->options->depth)
		return;
	push(t, rest);
	for (uint32_t i = t->p->nodes[parent->node].child; i; i = t->p->nodes[i].next) {
		uint64_t total = t->p->nodes[i].total;

		if (!total)
			continue;
		if (is_heavy(t, total)) {
			push(t, (struct branch){i, 0, total, rest.depth, indent});
			continue;
		}
		add_capped(&rest.total, total);
		rest.nr++;
	}
	t->branches[first] = rest;
	qsort_r(t->branches + first + 1, t->nr - first - 1, sizeof(*t->branches), compare_branches,
		(void *)t->p);
}

/* ---- lines ---- */

static void add_weight(struct tree *t, uint64_t weight)
{
	struct strbuf text = STRBUF_INIT;

	if (t->options->format != GRID_TEXT) {
		grid_addu(&t->grid, weight);
		return;
	}
	amount_add(&text, weight, t->p->unit);
	grid_add_amount(&t->grid, text.buf, text.len);
	strbuf_release(&text);
}

static void add_share(struct tree *t, uint64_t weight)
{
	uint64_t all = t->p->nodes[0].total;

	grid_addf(&t->grid, all ? (double)weight * 100 / (double)all : 0, 2);
}

/* In the tree of callers, only the stacks of the root functions have weight. */
static bool has_self(const struct tree *t)
{
	return !t->options->fn || t->options->of != REPORT_CALLERS;
}

static void add_weights(struct tree *t, uint64_t inclusive, uint64_t self)
{
	add_share(t, inclusive);
	add_weight(t, inclusive);
	if (!has_self(t))
		return;
	add_share(t, self);
	add_weight(t, self);
}

/* Returns the only callee of NODE if it has all of its weight, or 0. */
static uint32_t only_callee(const struct tree *t, uint32_t node)
{
	const struct profile_node *nodes = t->p->nodes, *n = &nodes[node];

	for (uint32_t i = n->child; i && !n->self; i = nodes[i].next)
		if (nodes[i].total == n->total)
			return i;
	return 0;
}

/* Appends the name of a node's function. */
static void add_name(const struct tree *t, uint32_t node, struct strbuf *out)
{
	uint32_t frame = t->p->nodes[node].frame;
	size_t len;
	const char *name = profile_name(t->p, frame, &len);

	if (!t->options->short_names) {
		folded_frame_add(out, t->p, frame);
		return;
	}
	short_name_add(out, name, len);
	strbuf_adds(out, frame_kind_suffix(t->p->frames[frame].kind));
}

/* Adds the line of a branch and of its only callees, and pushes the branches below them. */
static void write_text(struct tree *t, struct branch b)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t next;

	strbuf_addf(&text, "%*s", (int)(b.indent * INDENT), "");
	add_name(t, b.node, &text);
	while ((!t->options->depth || b.depth < t->options->depth) &&
		(next = only_callee(t, b.node)) != 0) {
		strbuf_addch(&text, ';');
		add_name(t, next, &text);
		b.node = next;
		b.depth++;
	}
	add_weights(t, b.total, t->p->nodes[b.node].self);
	grid_add(&t->grid, text.buf, text.len);
	strbuf_release(&text);
	push_children(t, &b, b.indent + 1);
}

static void write_row(struct tree *t, const struct branch *b)
{
	const struct profile_node *n = &t->p->nodes[b->node];
	size_t len;
	const char *name = profile_name(t->p, n->frame, &len);

	grid_addu(&t->grid, b->depth);
	add_weights(t, b->total, n->self);
	grid_adds(&t->grid, profile_module(t->p, n->frame));
	grid_add(&t->grid, name, len);
	push_children(t, b, 0);
}

/* Returns whether a line for WEIGHT would show a share of 0.00 %. */
static bool is_nothing(const struct tree *t, uint64_t weight)
{
	return (double)weight * 100 / (double)t->p->nodes[0].total < 0.005;
}

/* The rest of the branches is known to readers of rows as what is missing from the sum. */
static void write_rest(struct tree *t, const struct branch *b)
{
	char *text;

	if (!b->nr || t->options->format != GRID_TEXT || is_nothing(t, b->total))
		return;
	text = xasprintf("%*s[%" PRIu32 " smaller branch%s]", (int)(b->indent * INDENT), "", b->nr,
		b->nr > 1 ? "es" : "");
	add_weights(t, b->total, 0);
	grid_adds(&t->grid, text);
	free(text);
}

static void init_grid(struct tree *t)
{
	static const char *const text[] = {"incl %", "inclusive", "self %", "self", "stack"};
	static const char *const callers_text[] = {"incl %", "inclusive", "stack"};
	static const char *const rows[] = {
		"depth", "inclusive_pct", "inclusive", "self_pct", "self", "module", "function"};
	static const char *const callers_rows[] = {
		"depth", "inclusive_pct", "inclusive", "module", "function"};

	if (t->options->format == GRID_TEXT && has_self(t))
		grid_init(&t->grid, text, ARRAY_LEN(text));
	else if (t->options->format == GRID_TEXT)
		grid_init(&t->grid, callers_text, ARRAY_LEN(callers_text));
	else if (has_self(t))
		grid_init(&t->grid, rows, ARRAY_LEN(rows));
	else
		grid_init(&t->grid, callers_rows, ARRAY_LEN(callers_rows));
}

static void write_tree(struct tree *t, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	init_grid(t);
	push_children(t, &(struct branch){0}, 0);
	while (t->nr) {
		struct branch b = t->branches[--t->nr];

		if (!b.node)
			write_rest(t, &b);
		else if (t->options->format == GRID_TEXT)
			write_text(t, b);
		else
			write_row(t, &b);
	}
	t->grid.width_max = terminal_columns(out, 0);
	grid_write(&t->grid, t->options->format, &text);
	if (t->options->format == GRID_JSON)
		strbuf_addch(&text, '\n');
	strbuf_flush(&text, out);
	strbuf_release(&text);
	grid_release(&t->grid);
	free(t->branches);
}

void tree_report(const struct profile *p, const struct tree_options *options, FILE *out)
{
	struct tree t = {.p = p, .options = options};
	struct profile of_fn;

	if (!options->fn) {
		write_tree(&t, out);
		return;
	}
	profile_init(&of_fn);
	(options->of == REPORT_CALLERS ? add_callers : add_callees)(&of_fn, p, options->fn);
	profile_describe(&of_fn, p);
	profile_finish(&of_fn);
	t.p = &of_fn;
	write_tree(&t, out);
	profile_release(&of_fn);
}
