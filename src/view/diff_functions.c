/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_functions.h"
#include "functions.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

static int compare_changes(const struct diff_scale *scale, struct diff_pair a, struct diff_pair b)
{
	unsigned __int128 by_a = diff_change(scale, a).part, by_b = diff_change(scale, b).part;

	return (by_a < by_b) - (by_a > by_b);
}

static int compare(const void *va, const void *vb, void *arg)
{
	const struct diff_functions *f = arg;
	const struct diff_function *a = va, *b = vb;
	int c = compare_changes(&f->scale, a->self, b->self);

	if (!c)
		c = compare_changes(&f->scale, a->inclusive, b->inclusive);
	if (!c)
		c = strpool_compare(&f->names, a->name, b->name);
	if (!c)
		c = strpool_compare(&f->names, a->module, b->module);
	if (!c)
		c = strpool_compare(&f->names, a->category, b->category);
	return c ? c : a->kernel - b->kernel;
}

/* The entry of FN, which is a function of SIDE; it is added when new. */
static struct diff_function *entry_of(struct diff_functions *f, struct table *numbers,
	const struct functions *side, const struct function *fn, size_t *alloc)
{
	const struct frame *frame = &side->p->frames[fn->frame];
	struct diff_function key = {
		.name = strpool_import(&f->names, &side->p->names, frame->name),
		.module = strpool_import(&f->names, &side->p->names, frame->module),
		.category = strpool_adds(&f->names, function_category(side, fn)),
		.kernel = fn->kernel,
	};
	bool is_new;
	uint32_t *number = table_put(numbers, (uint64_t)key.name << 32 | key.module,
		(uint64_t)key.category << 1 | key.kernel, &is_new);

	if (is_new) {
		ALLOC_GROW(f->list, f->nr, *alloc);
		f->list[f->nr] = key;
		*number = f->nr++;
	}
	return &f->list[*number];
}

void diff_functions_init(struct diff_functions *f, const struct profile *before,
	const struct profile *after, bool normalized, const struct rules *rules)
{
	const struct profile *const sides[] = {before, after};
	struct table numbers;
	size_t alloc = 0;

	*f = (struct diff_functions){
		.unit = before->unit,
		.scale = diff_scale_of(before, after, normalized),
	};
	strpool_init(&f->names);
	table_init(&numbers);
	for (size_t side = 0; side < ARRAY_LEN(sides); side++) {
		struct functions functions;

		functions_init(&functions, sides[side], rules);
		for (uint32_t i = 0; i < functions.nr; i++) {
			const struct function *fn = &functions.list[i];
			struct diff_function *entry = entry_of(f, &numbers, &functions, fn, &alloc);

			*(side ? &entry->self.after : &entry->self.before) = fn->self;
			*(side ? &entry->inclusive.after : &entry->inclusive.before) =
				fn->inclusive;
		}
		functions_release(&functions);
	}
	table_release(&numbers);
	if (f->nr)
		qsort_r(f->list, f->nr, sizeof(*f->list), compare, f);
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

uint32_t diff_functions_above(
	const struct diff_functions *f, uint64_t limit, const struct diff_function **most)
{
	struct diff_scale shares = f->scale;
	uint32_t nr = 0;

	shares.normalized = true;
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct diff_function *fn = &f->list[i];

		if (!diff_is_above(&shares, fn->inclusive, limit))
			continue;
		if (!nr++ || compare_changes(&shares, fn->inclusive, (*most)->inclusive) < 0)
			*most = fn;
	}
	return nr;
}
