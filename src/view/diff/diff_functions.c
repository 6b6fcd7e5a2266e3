/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_functions.h"
#include "lib/table.h"
#include "lib/util.h"
#include "view/report/entries.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *va, const void *vb, void *arg)
{
	const struct diff_functions *f = arg;
	const struct diff_function *a = va, *b = vb;
	int c = diff_compare(&f->scale, a->self, b->self);

	if (!c)
		c = diff_compare(&f->scale, a->inclusive, b->inclusive);
	if (!c)
		c = strpool_compare(&f->names, a->name, b->name);
	if (!c)
		c = strpool_compare(&f->names, a->module, b->module);
	if (!c)
		c = strpool_compare(&f->names, a->category, b->category);
	return c ? c : a->kernel - b->kernel;
}

/* The state while the list is made. */
struct merge {
	struct diff_functions *f;
	struct table numbers;
	size_t alloc;
};

/* Returns the entry of FN, a function of SIDE. Adds it if it is new. */
static struct diff_function *entry_of(
	struct merge *m, const struct report_entries *side, const struct report_entry *fn)
{
	struct diff_functions *f = m->f;
	const struct frame *frame = &side->p->frames[fn->frame];
	struct diff_function key = {
		.name = strpool_import(&f->names, &side->p->names, frame->name),
		.module = strpool_import(&f->names, &side->p->names, frame->module),
		.category = strpool_adds(&f->names, entry_category(side, fn)),
		.kernel = fn->kernel,
	};
	bool is_new;
	uint32_t *number = table_put(&m->numbers, (uint64_t)key.name << 32 | key.module,
		(uint64_t)key.category << 1 | key.kernel, &is_new);

	if (is_new) {
		ALLOC_GROW(f->list, f->nr, m->alloc);
		f->list[f->nr] = key;
		*number = f->nr++;
	}
	return &f->list[*number];
}

static void add_side(struct merge *m, const struct report_entries *side, bool is_after)
{
	for (uint32_t i = 0; i < side->nr; i++) {
		const struct report_entry *fn = &side->list[i];
		struct diff_function *entry = entry_of(m, side, fn);

		*(is_after ? &entry->self.after : &entry->self.before) = fn->self;
		*(is_after ? &entry->inclusive.after : &entry->inclusive.before) = fn->inclusive;
	}
}

/* Merges both SIDES and releases them. */
static void merge(struct diff_functions *f, struct report_entries sides[2], bool normalized)
{
	const struct profile *before = sides[0].p;
	struct merge m = {.f = f};

	*f = (struct diff_functions){
		.unit = before->unit,
		.scale = diff_scale_of(before, sides[1].p, normalized),
	};
	strpool_init(&f->names);
	table_init(&m.numbers);
	for (int i = 0; i < 2; i++) {
		add_side(&m, &sides[i], i);
		entries_release(&sides[i]);
	}
	table_release(&m.numbers);
	if (f->nr)
		qsort_r(f->list, f->nr, sizeof(*f->list), compare, f);
}

void diff_functions_init(struct diff_functions *f, const struct profile *before,
	const struct profile *after, bool normalized, const struct rules *rules)
{
	struct report_entries sides[2];

	entries_init(&sides[0], before, rules);
	entries_init(&sides[1], after, rules);
	merge(f, sides, normalized);
}

void diff_functions_init_whole(struct diff_functions *f, const struct profile *before,
	const struct profile *after, bool normalized)
{
	struct report_entries sides[2];

	entries_init_whole(&sides[0], before);
	entries_init_whole(&sides[1], after);
	merge(f, sides, normalized);
}

void diff_functions_release(struct diff_functions *f)
{
	strpool_release(&f->names);
	free(f->list);
	*f = (struct diff_functions){0};
}

const char *diff_function_status(const struct diff_functions *f, const struct diff_function *fn)
{
	switch (diff_step(&f->scale, fn->inclusive)) {
	case DIFF_NEW:
		return "new";
	case DIFF_GONE:
		return "removed";
	case DIFF_SAME:
		return diff_step(&f->scale, fn->self) == DIFF_SAME ? "same" : "changed";
	default:
		return "changed";
	}
}
