/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top_rows.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "top.h"

#include <stdlib.h>
#include <string.h>

/* Nodes that are to be listed. */
struct lister {
	struct top *t;
	bool *leads; /* for each node whether it or a callee matches the search; NULL without one */
	struct top_row *siblings; /* of all levels, the innermost ones last */
	size_t nr, alloc;
};

static uint64_t path_id(const struct top *t, uint64_t caller, uint32_t frame)
{
	size_t len;
	const char *name = profile_name(t->profile, frame, &len);
	const char *module = profile_module(t->profile, frame);

	return hash_pair(caller + 1, hash_text(name, len) ^ hash_text(module, strlen(module)) * 3);
}

uint64_t top_root_id(const struct top *t, uint32_t frame)
{
	return path_id(t, 0, frame);
}

/* Returns whether the frame's name contains the search, in letters of any case. */
static bool matches(const struct top *t, uint32_t frame)
{
	size_t len;

	return !t->search.len ||
	       strcasestr(profile_name(t->profile, frame, &len), t->search.buf) != NULL;
}

static void add_row(struct top *t, const struct top_row *row)
{
	ALLOC_GROW(t->rows, t->nr_rows, t->rows_alloc);
	t->rows[t->nr_rows++] = *row;
}

/* Compares rows by what T sorts by, and then by name. */
static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct top_row *a = va, *b = vb;
	const struct top *t = arg;
	enum report_sort sort = top_sort(t);

	if (sort == SORT_SELF && a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (sort != SORT_NAME && a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return profile_compare_frames(t->profile, a->frame, b->frame);
}

static void list_functions(struct top *t)
{
	for (uint32_t i = 0; i < t->entries.nr; i++) {
		const struct report_entry *e = &t->entries.list[i];

		if (matches(t, e->frame))
			add_row(t, &(struct top_row){.frame = e->frame,
					   .self = e->self,
					   .total = e->inclusive,
					   .id = top_root_id(t, e->frame)});
	}
	qsort_r(t->rows, t->nr_rows, sizeof(*t->rows), compare_rows, t);
}

/* Marks the nodes that match the search, and their callers. Callees have higher numbers. */
static bool *find_leads(const struct top *t)
{
	const struct profile *p = t->profile;

	if (!t->search.len)
		return NULL;
	bool *leads = xcalloc(p->nr_nodes, sizeof(*leads));

	for (uint32_t i = p->nr_nodes - 1; i; i--) {
		leads[i] |= matches(t, p->nodes[i].frame);
		leads[p->nodes[i].parent] |= leads[i];
	}
	return leads;
}

/* Returns whether one of the callees of NODE leads to a match, so that NODE is shown open. */
static bool leads_on(const struct lister *l, uint32_t node)
{
	const struct profile_node *nodes = l->t->profile->nodes;

	for (uint32_t c = nodes[node].child; l->leads && c; c = nodes[c].next)
		if (l->leads[c])
			return true;
	return false;
}

static void push_children(struct lister *l, uint32_t node, uint64_t id, unsigned depth)
{
	const struct profile_node *nodes = l->t->profile->nodes;

	for (uint32_t c = nodes[node].child; c; c = nodes[c].next) {
		if (!nodes[c].total || (l->leads && !l->leads[c]))
			continue;
		uint64_t child = path_id(l->t, id, nodes[c].frame);
		const uint32_t *open = table_get(&l->t->open, child, 0);

		ALLOC_GROW(l->siblings, l->nr, l->alloc);
		l->siblings[l->nr++] = (struct top_row){
			.frame = nodes[c].frame,
			.node = c,
			.depth = depth,
			.has_children = nodes[c].child,
			.is_open = nodes[c].child && ((open && *open) || leads_on(l, c)),
			.self = nodes[c].self,
			.total = nodes[c].total,
			.id = child,
		};
	}
}

static void list_children(struct lister *l, uint32_t node, uint64_t id, unsigned depth)
{
	size_t first = l->nr;

	push_children(l, node, id, depth);
	qsort_r(l->siblings + first, l->nr - first, sizeof(*l->siblings), compare_rows, l->t);
	for (size_t i = first, end = l->nr; i < end; i++) {
		struct top_row row = l->siblings[i];

		add_row(l->t, &row);
		if (row.is_open)
			list_children(l, row.node, row.id, depth + 1);
	}
	l->nr = first;
}

static void list_tree(struct top *t)
{
	struct lister l = {.t = t, .leads = find_leads(t)};

	list_children(&l, 0, 0, 0);
	free(l.leads);
	free(l.siblings);
}

static void find_chosen(struct top *t)
{
	for (size_t i = 0; t->chosen && i < t->nr_rows; i++)
		if (t->rows[i].id == t->chosen) {
			t->cursor = i;
			return;
		}
	if (t->cursor >= t->nr_rows)
		t->cursor = t->nr_rows ? t->nr_rows - 1 : 0;
}

void top_list(struct top *t)
{
	t->nr_rows = 0;
	if (!t->profile)
		return;
	if (t->view == TOP_FUNCTIONS)
		list_functions(t);
	else
		list_tree(t);
	find_chosen(t);
}
