/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"
#include "lib/folded.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/* Categories that do not depend on the module; NULL: the module decides. */
static const char *const category_of_kind[FRAME_KINDS] = {
	[FRAME_KERNEL] = "kernel",
	[FRAME_JIT] = "jit",
	[FRAME_WAKER] = "waker",
	[FRAME_PERL] = "perl",
	[FRAME_LUA] = "lua",
	[FRAME_TASK] = "task",
	[FRAME_NOTE] = "note",
};

/* The only place that decides what belongs together. */
static uint32_t category_of(const struct profile *p, uint32_t frame, struct strpool *categories)
{
	const char *fixed = category_of_kind[p->frames[frame].kind];
	const char *module = profile_module(p, frame);
	size_t len;
	const char *name = profile_name(p, frame, &len);

	if (fixed)
		return strpool_adds(categories, fixed);
	if (!strcmp(module, "[kernel]"))
		return strpool_adds(categories, "kernel");
	if (*module)
		return strpool_adds(categories, file_name(module));
	/* "[libfoo.so]" tells the module, "[unknown]" that there is none */
	if (frame_is_unnamed(p, frame))
		return strpool_add(categories, name + 1, len - 2);
	return strpool_adds(categories, "user");
}

/* ENTRY_OF: frame → its entry in the list. */
static void add_up(struct functions *f, const uint32_t *entry_of)
{
	const struct profile_node *nodes = f->p->nodes;
	uint32_t *on_path = xcalloc(f->nr, sizeof(*on_path));
	uint32_t node = 0;

	for (;;) {
		uint32_t next = nodes[node].child;

		while (!next && node) {
			on_path[entry_of[nodes[node].frame]]--;
			next = nodes[node].next;
			node = nodes[node].parent;
		}
		if (!next)
			break;
		node = next;
		uint32_t entry = entry_of[nodes[node].frame];

		add_capped(&f->list[entry].self, nodes[node].self);
		if (!on_path[entry]++)
			add_capped(&f->list[entry].inclusive, nodes[node].total);
	}
	free(on_path);
}

/* Frames of stacks that were left out are in no stack; they are the last ones. */
static void drop_empty(struct functions *f)
{
	while (f->nr && !f->list[f->nr - 1].inclusive)
		f->nr--;
}

static int compare_functions(const void *va, const void *vb, void *arg)
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
	return c ? c : strpool_compare(&f->categories, a->category, b->category);
}

static int compare_categories(const void *va, const void *vb, void *arg)
{
	const struct functions *f = arg;
	const struct function *a = va, *b = vb;
	int c = (a->self < b->self) - (a->self > b->self);

	if (!c)
		c = (a->inclusive < b->inclusive) - (a->inclusive > b->inclusive);
	return c ? c : strpool_compare(&f->categories, a->category, b->category);
}

/* A frame with what makes it one function with others. */
struct key {
	uint32_t name, module, category, frame;
};

static int compare_keys(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;
	int c = (a->name > b->name) - (a->name < b->name);

	if (!c)
		c = (a->module > b->module) - (a->module < b->module);
	if (!c)
		c = (a->category > b->category) - (a->category < b->category);
	return c ? c : (a->frame > b->frame) - (a->frame < b->frame);
}

static struct key *sorted_keys(struct functions *f)
{
	const struct profile *p = f->p;
	struct key *keys = xcalloc(p->nr_frames, sizeof(*keys));

	for (uint32_t i = 1; i < p->nr_frames; i++)
		keys[i] = (struct key){
			.name = p->frames[i].name,
			.module = p->frames[i].module,
			.category = category_of(p, i, &f->categories),
			.frame = i,
		};
	qsort(keys + 1, p->nr_frames - 1, sizeof(*keys), compare_keys);
	return keys;
}

void functions_init(struct functions *f, const struct profile *p)
{
	*f = (struct functions){.p = p};
	strpool_init(&f->categories);
	struct key *keys = sorted_keys(f);
	uint32_t *entry_of = xcalloc(p->nr_frames, sizeof(*entry_of));

	f->list = xcalloc(p->nr_frames, sizeof(*f->list));
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct key *k = &keys[i];

		if (i == 1 || k->name != k[-1].name || k->module != k[-1].module ||
			k->category != k[-1].category)
			f->list[f->nr++] = (struct function){
				.frame = k->frame,
				.category = k->category,
			};
		entry_of[k->frame] = f->nr - 1;
	}
	add_up(f, entry_of);
	qsort_r(f->list, f->nr, sizeof(*f->list), compare_functions, f);
	drop_empty(f);
	free(entry_of);
	free(keys);
}

void categories_init(struct functions *f, const struct profile *p)
{
	uint32_t *entry_of = xcalloc(p->nr_frames, sizeof(*entry_of));

	*f = (struct functions){.p = p};
	strpool_init(&f->categories);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		entry_of[i] = category_of(p, i, &f->categories);
	f->nr = f->categories.nr;
	f->list = xcalloc(f->nr, sizeof(*f->list));
	for (uint32_t i = 0; i < f->nr; i++)
		f->list[i].category = i;
	add_up(f, entry_of);
	/* entry 0 is the empty string, which no frame has */
	qsort_r(f->list + 1, f->nr - 1, sizeof(*f->list), compare_categories, f);
	f->nr--;
	memmove(f->list, f->list + 1, f->nr * sizeof(*f->list));
	drop_empty(f);
	free(entry_of);
}

void functions_release(struct functions *f)
{
	strpool_release(&f->categories);
	free(f->list);
	*f = (struct functions){0};
}

const char *function_category(const struct functions *f, const struct function *function)
{
	return strpool_get(&f->categories, function->category);
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
