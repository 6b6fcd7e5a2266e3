/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"
#include "input/notes.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/leaves.h"
#include "view/rules.h"

#include <stdlib.h>
#include <string.h>

/* Finds functions by their identity. */
struct grouping {
	struct functions *f;
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
	struct functions *f = g->f;
	const struct frame *of = &f->p->frames[frame];
	struct last *last = &g->last[frame];
	bool is_new;

	if (last->number != NO_FUNCTION && last->category == category)
		return last->number;
	bool kernel = is_of_kernel(f->p, frame);
	uint32_t *number = table_put(&g->numbers, (uint64_t)of->name << 32 | of->module,
		(uint64_t)category << 1 | kernel, &is_new);

	if (is_new) {
		ALLOC_GROW(f->list, f->nr, g->alloc);
		f->list[f->nr] =
			(struct function){.frame = frame, .category = category, .kernel = kernel};
		*number = f->nr++;
	}
	*last = (struct last){.category = category, .number = *number};
	return *number;
}

/*
 * Returns the category of every node, as a number in f->categories.names. The caller frees the
 * list.
 */
static uint32_t *begin_with_categories(
	struct functions *f, const struct profile *p, const struct rules *rules)
{
	*f = (struct functions){.p = p};
	categories_init(&f->categories, p, rules);
	uint32_t *nodes = categories_of_nodes(&f->categories, p); /* ranks, then names */

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		nodes[i] = f->categories.names_of[nodes[i]];
	return nodes;
}

/* Replaces the categories in NODES by indexes in the list. States are not functions. */
static void list_functions(struct functions *f, uint32_t *nodes)
{
	const struct profile *p = f->p;
	struct leaves leaves;
	struct grouping g = {.f = f, .last = xcalloc(p->nr_frames, sizeof(*g.last))};

	for (uint32_t i = 0; i < p->nr_frames; i++)
		g.last[i].number = NO_FUNCTION;
	table_init(&g.numbers);
	leaves_init(&leaves, p);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		nodes[i] = leaves_is_state(&leaves, i) ? NO_FUNCTION
						       : number_of(&g, p->nodes[i].frame, nodes[i]);
	leaves_release(&leaves);
	table_release(&g.numbers);
	free(g.last);
}

uint32_t *functions_begin(struct functions *f, const struct profile *p, const struct rules *rules)
{
	uint32_t *nodes = begin_with_categories(f, p, rules);

	list_functions(f, nodes);
	return nodes;
}

void functions_add_up(
	struct function *list, uint32_t nr, const uint32_t *number_of_node, const struct profile *p)
{
	const struct profile_node *nodes = p->nodes;
	uint32_t *on_path = xcalloc(nr, sizeof(*on_path));
	struct leaves leaves;
	uint32_t node = 0;

	leaves_init(&leaves, p);
	for (;;) {
		uint32_t next = nodes[node].child;

		while (!next && node) {
			if (number_of_node[node] != NO_FUNCTION)
				on_path[number_of_node[node]]--;
			next = nodes[node].next;
			node = nodes[node].parent;
		}
		if (!next)
			break;
		node = next;
		uint32_t number = number_of_node[node];

		if (number == NO_FUNCTION)
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
	const struct functions *f = arg;
	const struct function *a = va, *b = vb;
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

void functions_sort(struct functions *f)
{
	if (f->nr)
		qsort_r(f->list, f->nr, sizeof(*f->list), compare, f);
	while (f->nr && !f->list[f->nr - 1].inclusive) /* functions without weight */
		f->nr--;
}

/* Adds up and sorts the functions. NODES are indexes in the list, and are freed. */
static void finish(struct functions *f, uint32_t *nodes)
{
	functions_add_up(f->list, f->nr, nodes, f->p);
	functions_sort(f);
	free(nodes);
}

void functions_init(struct functions *f, const struct profile *p, const struct rules *rules)
{
	finish(f, functions_begin(f, p, rules));
}

void functions_init_whole(struct functions *f, const struct profile *p)
{
	uint32_t *nodes = xcalloc(p->nr_nodes, sizeof(*nodes)); /* the category "" for all nodes */

	*f = (struct functions){.p = p};
	strpool_init(&f->categories.names);
	list_functions(f, nodes);
	finish(f, nodes);
}

void functions_init_categories(
	struct functions *f, const struct profile *p, const struct rules *rules)
{
	uint32_t *nodes = begin_with_categories(f, p, rules);
	struct leaves leaves;

	f->nr = f->categories.names.nr; /* including 0, the empty string, which is not used */
	f->list = xcalloc(f->nr, sizeof(*f->list));
	for (uint32_t i = 0; i < f->nr; i++)
		f->list[i].category = i;
	leaves_init(&leaves, p);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (leaves_is_state(&leaves, i))
			nodes[i] = NO_FUNCTION;
	leaves_release(&leaves);
	finish(f, nodes);
}

void functions_release(struct functions *f)
{
	categories_release(&f->categories);
	free(f->list);
	*f = (struct functions){0};
}

const char *function_category(const struct functions *f, const struct function *function)
{
	return strpool_get(&f->categories.names, function->category);
}

const char *functions_least_named(const struct profile *p)
{
	uint64_t *weights = xcalloc(p->nr_frames, sizeof(*weights));
	uint32_t most = 0;

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		add_capped(&weights[p->nodes[i].frame], p->nodes[i].total);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (weights[i] > weights[most] && frame_is_unnamed(p, i))
			most = i;
	free(weights);
	if (!most)
		return NULL;
	return *profile_module(p, most) ? profile_module(p, most) : profile_name(p, most, NULL);
}
