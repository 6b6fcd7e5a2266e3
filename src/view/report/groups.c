/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "groups.h"
#include "input/notes.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "model/leaves.h"

#include <stdlib.h>
#include <string.h>

struct group_index {
	struct functions *groups;
	enum report_by by;
	struct table numbers; /* maps name and module to an index in the list */
	struct strbuf name;
	uint32_t alloc;
};

bool groups_have_modules(enum report_by by)
{
	return by == BY_FILE || by == BY_LINE;
}

bool groups_are_of_stacks(enum report_by by)
{
	return by >= BY_COMM;
}

/*
 * Sets the name of a module's group: its path, "[kernel]", the file "libfoo.so" of the frame
 * "libfoo.so+0x1200", or the kind of frame, such as "[perl]".
 */
static void name_module(struct group_index *x, const struct profile *p, uint32_t frame)
{
	const char *path = profile_module(p, frame);
	enum frame_kind kind = rules_is_kernel(p, frame) ? FRAME_KERNEL : p->frames[frame].kind;
	size_t len;

	if (*path) {
		strbuf_adds(&x->name, path);
	} else if (frame_is_unnamed(p, frame)) {
		const char *file = rules_module(p, frame, &len);
		bool is_file = *profile_name(p, frame, NULL) != '[';

		strbuf_adds(&x->name, is_file ? "" : "[");
		strbuf_add(&x->name, file, len);
		strbuf_adds(&x->name, is_file ? "" : "]");
	} else if (kind == FRAME_USER || kind == FRAME_INLINE) {
		strbuf_adds(&x->name, "[unknown]");
	} else {
		strbuf_addf(&x->name, "[%s]", frame_kind_word(kind));
	}
}

static void name_source(struct group_index *x, const struct profile *p, uint32_t frame)
{
	const char *source = strpool_get(&p->names, p->frames[frame].source);
	const char *line = x->by == BY_FILE ? strrchr(source, ':') : NULL;

	if (*source)
		strbuf_add(&x->name, source, line ? (size_t)(line - source) : strlen(source));
	else
		strbuf_adds(&x->name, "[no source]");
}

/* Sets the name of the group that a frame belongs to. Returns false if it belongs to none. */
static bool name_group(struct group_index *x, const struct profile *p, uint32_t frame)
{
	const struct frame *f = &p->frames[frame];
	bool task = f->kind == FRAME_TASK, label = f->label == LABEL_BY;

	strbuf_reset(&x->name);
	switch (x->by) {
	case BY_MODULE:
		name_module(x, p, frame);
		return !task;
	case BY_FILE:
	case BY_LINE:
		name_source(x, p, frame);
		return !task;
	case BY_COMM:
	case BY_PROCESS:
	case BY_THREAD:
		strbuf_adds(&x->name, profile_name(p, frame, NULL));
		return task && !label;
	case BY_LABEL:
		strbuf_adds(&x->name, profile_name(p, frame, NULL));
		return label;
	case BY_FUNCTION:
		break;
	}
	return false;
}

/*
 * Returns the index of the group with the current name and the module of FRAME. Adds it if it is
 * new.
 */
static uint32_t number_of_group(struct group_index *x, uint32_t frame)
{
	struct functions *g = x->groups;
	uint32_t name = strpool_add(&g->categories.names, x->name.buf, x->name.len);
	uint32_t module = groups_have_modules(x->by) ? g->p->frames[frame].module : 0;
	bool is_new;
	uint32_t *number = table_put(&x->numbers, name, module, &is_new);

	if (is_new) {
		ALLOC_GROW(g->list, g->nr, x->alloc);
		g->list[g->nr] = (struct function){.frame = frame, .category = name};
		*number = g->nr++;
	}
	return *number;
}

/* Returns for each frame the index of its group, or NO_FUNCTION if it belongs to none. */
static uint32_t *number_frames(struct group_index *x)
{
	const struct profile *p = x->groups->p;
	uint32_t *number = xcalloc(p->nr_frames, sizeof(*number));

	for (uint32_t i = 1; i < p->nr_frames; i++)
		number[i] = name_group(x, p, i) ? number_of_group(x, i) : NO_FUNCTION;
	return number;
}

static void add_up_nodes(struct functions *g, const uint32_t *of_frame)
{
	uint32_t *number = xcalloc(g->p->nr_nodes, sizeof(*number));
	struct leaves leaves;

	leaves_init(&leaves, g->p);
	for (uint32_t i = 1; i < g->p->nr_nodes; i++)
		number[i] =
			leaves_is_state(&leaves, i) ? NO_FUNCTION : of_frame[g->p->nodes[i].frame];
	leaves_release(&leaves);
	functions_add_up(g->list, g->nr, number, g->p);
	free(number);
}

/* Adds the stacks that are in no group. */
static void add_others(struct group_index *x, const char *key)
{
	struct functions *g = x->groups;
	uint64_t rest = g->p->nodes[0].total;

	for (uint32_t i = 0; i < g->nr; i++) {
		g->list[i].self = 0;
		rest -= g->list[i].inclusive < rest ? g->list[i].inclusive : rest;
	}
	if (!rest)
		return;
	strbuf_reset(&x->name);
	if (x->by == BY_LABEL)
		recording_add_no_label(key, &x->name);
	else
		strbuf_adds(&x->name, "[unknown]");
	uint32_t number = number_of_group(x, 0);

	add_capped(&g->list[number].inclusive, rest);
}

/* Adds the counts of values, also of values that no stack has. */
static void add_counts(struct group_index *x)
{
	struct functions *g = x->groups;
	const struct value_counts *t = &g->p->counted;

	for (uint32_t i = 0; i < t->values.nr && i < t->alloc; i++) {
		if (!t->counts[i])
			continue;
		strbuf_reset(&x->name);
		strbuf_add(&x->name, strpool_get(&t->values, i), strpool_len(&t->values, i));
		uint32_t number = number_of_group(x, 0);

		g->list[number].count = t->counts[i];
	}
}

static int compare_groups(const void *va, const void *vb, void *arg)
{
	const struct functions *g = arg;
	const struct function *a = va, *b = vb;
	const struct frame *fa = &g->p->frames[a->frame], *fb = &g->p->frames[b->frame];
	int c = (a->self < b->self) - (a->self > b->self);

	if (!c)
		c = (a->inclusive < b->inclusive) - (a->inclusive > b->inclusive);
	if (!c)
		c = (a->count < b->count) - (a->count > b->count);
	if (!c)
		c = strpool_compare(&g->categories.names, a->category, b->category);
	return c ? c : strpool_compare(&g->p->names, fa->module, fb->module);
}

void groups_init(
	struct functions *groups, const struct profile *p, enum report_by by, const char *key)
{
	struct group_index x = {.groups = groups, .by = by, .name = STRBUF_INIT};

	*groups = (struct functions){.p = p};
	strpool_init(&groups->categories.names);
	table_init(&x.numbers);
	uint32_t *of_frame = number_frames(&x);

	add_up_nodes(groups, of_frame);
	if (groups_are_of_stacks(by))
		add_others(&x, key);
	if (by == BY_LABEL)
		add_counts(&x);
	if (groups->nr)
		qsort_r(groups->list, groups->nr, sizeof(*groups->list), compare_groups, groups);
	while (groups->nr && !groups->list[groups->nr - 1].inclusive &&
		!groups->list[groups->nr - 1].count)
		groups->nr--;
	free(of_frame);
	table_release(&x.numbers);
	strbuf_release(&x.name);
}
