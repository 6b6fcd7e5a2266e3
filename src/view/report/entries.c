/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "entries.h"
#include "input/notes.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/leaves.h"
#include "view/rules.h"

#include <stdlib.h>
#include <string.h>

/* Finds functions by their identity. */
struct grouping {
	struct report_entries *f;
	struct table numbers; /* maps name and module, category and kernel to list index */
	/* for each frame, the last result; a frame rarely has two categories */
	struct last {
		uint32_t category, number;
	} * last;
	uint32_t alloc;
};

/*
 * Whether a function belongs to the kernel. Needed only for frames without a module: a module
 * implies it, also for inlined functions.
 */
static bool is_of_kernel(const struct profile *p, uint32_t frame)
{
	return !p->frames[frame].module && rules_is_kernel(p, frame);
}

static uint32_t number_of(struct grouping *g, uint32_t frame, uint32_t category)
{
	struct report_entries *f = g->f;
	const struct frame *of = &f->p->frames[frame];
	struct last *last = &g->last[frame];
	bool is_new;

	if (last->number != NO_ENTRY && last->category == category)
		return last->number;
	bool kernel = is_of_kernel(f->p, frame);
	uint32_t *number = table_put(&g->numbers, (uint64_t)of->name << 32 | of->module,
		(uint64_t)category << 1 | kernel, &is_new);

	if (is_new) {
		ALLOC_GROW(f->list, f->nr, g->alloc);
		f->list[f->nr] = (struct report_entry){
			.frame = frame, .category = category, .kernel = kernel};
		*number = f->nr++;
	}
	*last = (struct last){.category = category, .number = *number};
	return *number;
}

uint32_t *entries_begin_categories(
	struct report_entries *f, const struct profile *p, const struct rules *rules)
{
	*f = (struct report_entries){.p = p};
	categories_init(&f->categories, p, rules);
	uint32_t *nodes = categories_of_nodes(&f->categories, p); /* ranks, then names */

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		nodes[i] = f->categories.names_of[nodes[i]];
	return nodes;
}

/* Replaces the categories in NODES by indexes in the list. States are not functions. */
static void list_functions(struct report_entries *f, uint32_t *nodes)
{
	const struct profile *p = f->p;
	struct leaves leaves;
	struct grouping g = {.f = f, .last = xcalloc(p->nr_frames, sizeof(*g.last))};

	for (uint32_t i = 0; i < p->nr_frames; i++)
		g.last[i].number = NO_ENTRY;
	table_init(&g.numbers);
	leaves_init(&leaves, p);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		nodes[i] = leaves_is_state(&leaves, i) ? NO_ENTRY
						       : number_of(&g, p->nodes[i].frame, nodes[i]);
	leaves_release(&leaves);
	table_release(&g.numbers);
	free(g.last);
}

uint32_t *entries_begin(
	struct report_entries *f, const struct profile *p, const struct rules *rules)
{
	uint32_t *nodes = entries_begin_categories(f, p, rules);

	list_functions(f, nodes);
	return nodes;
}

void entries_add_up(struct report_entry *list, uint32_t nr, const uint32_t *number_of_node,
	const struct profile *p)
{
	const struct profile_node *nodes = p->nodes;
	uint32_t *on_path = xcalloc(nr, sizeof(*on_path));
	struct leaves leaves;
	uint32_t node = 0;

	leaves_init(&leaves, p);
	for (;;) {
		uint32_t next = nodes[node].child;

		while (!next && node) {
			if (number_of_node[node] != NO_ENTRY)
				on_path[number_of_node[node]]--;
			next = nodes[node].next;
			node = nodes[node].parent;
		}
		if (!next)
			break;
		node = next;
		uint32_t number = number_of_node[node];

		if (number == NO_ENTRY)
			continue;
		add_capped(&list[number].self, leaves_weight(&leaves, node));
		if (!on_path[number]++)
			add_capped(&list[number].inclusive, nodes[node].total);
	}
	leaves_release(&leaves);
	free(on_path);
}

static int compare(const void *va, const void *vb, void *arg)
{
	const struct report_entries *f = arg;
	const struct report_entry *a = va, *b = vb;
	const struct frame *fa = &f->p->frames[a->frame], *fb = &f->p->frames[b->frame];
	int c = (a->self < b->self) - (a->self > b->self);

	if (!c)
		c = (a->inclusive < b->inclusive) - (a->inclusive > b->inclusive);
	if (!c)
		c = strpool_compare(&f->p->names, fa->name, fb->name);
	if (!c)
		c = strpool_compare(&f->p->names, fa->module, fb->module);
	if (!c)
		c = strpool_compare(&f->categories.names, a->category, b->category);
	return c ? c : a->kernel - b->kernel;
}

void entries_sort(struct report_entries *f)
{
	if (f->nr)
		qsort_r(f->list, f->nr, sizeof(*f->list), compare, f);
	while (f->nr && !f->list[f->nr - 1].inclusive) /* functions without weight */
		f->nr--;
}

/* Adds up and sorts the functions. NODES are indexes in the list, and are freed. */
static void finish(struct report_entries *f, uint32_t *nodes)
{
	entries_add_up(f->list, f->nr, nodes, f->p);
	entries_sort(f);
	free(nodes);
}

void entries_init(struct report_entries *f, const struct profile *p, const struct rules *rules)
{
	finish(f, entries_begin(f, p, rules));
}

void entries_init_whole(struct report_entries *f, const struct profile *p)
{
	uint32_t *nodes = xcalloc(p->nr_nodes, sizeof(*nodes)); /* the category "" for all nodes */

	*f = (struct report_entries){.p = p};
	strpool_init(&f->categories.names);
	list_functions(f, nodes);
	finish(f, nodes);
}

void entries_init_categories(
	struct report_entries *f, const struct profile *p, const struct rules *rules)
{
	uint32_t *nodes = entries_begin_categories(f, p, rules);
	struct leaves leaves;

	f->nr = f->categories.names.nr; /* including 0, the empty string, which is not used */
	f->list = xcalloc(f->nr, sizeof(*f->list));
	for (uint32_t i = 0; i < f->nr; i++)
		f->list[i].category = i;
	leaves_init(&leaves, p);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (leaves_is_state(&leaves, i))
			nodes[i] = NO_ENTRY;
	leaves_release(&leaves);
	finish(f, nodes);
}

void entries_release(struct report_entries *f)
{
	categories_release(&f->categories);
	free(f->list);
	free(f->values);
	*f = (struct report_entries){0};
}

const char *entry_category(const struct report_entries *f, const struct report_entry *function)
{
	return strpool_get(&f->categories.names, function->category);
}
