/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "range.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 1 << 22 }; /* in one file; further ranges are ignored */

void unwind_ranges_add(struct unwind_ranges *r, uint64_t start, uint64_t size, uint64_t where)
{
	/* linkers write 0 for removed functions */
	if (!start || !size || size > UINT64_MAX - start || r->nr >= RANGES_MAX)
		return;
	ALLOC_GROW(r->list, r->nr, r->alloc);
	r->list[r->nr++] = (struct unwind_range){start, start, start + size, where, 0};
}

void unwind_ranges_release(struct unwind_ranges *r)
{
	free(r->list);
	*r = (struct unwind_ranges){0};
}

void unwind_ranges_cut(struct unwind_ranges *r, const struct elf_code *code, size_t n)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++) {
		struct unwind_range *range = &r->list[i];
		const struct elf_code *around = elf_code_around(code, n, range->start);

		if (!around)
			continue;
		if (range->to > around->address + around->size)
			range->to = around->address + around->size;
		r->list[nr++] = *range;
	}
	r->nr = nr;
}

static int compare(const void *a, const void *b)
{
	const struct unwind_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->where < y->where ? -1 : x->where > y->where;
}

/* Appends the part of RANGE after the last range of TO and before NEXT. */
static void append(
	struct unwind_ranges *to, const struct unwind_range *range, const struct unwind_range *next)
{
	struct unwind_range *put = &to->list[to->nr];

	*put = *range;
	if (to->nr && put[-1].to > put->from)
		put->from = put[-1].to;
	if (next && next->from < put->to)
		put->to = next->from;
	if (put->from < put->to)
		to->nr++;
}

void unwind_ranges_merge(struct unwind_ranges *r, struct unwind_ranges *more, unsigned char source)
{
	struct unwind_ranges merged = {.alloc = r->nr + more->nr};
	size_t old = 0;

	if (!more->nr)
		return;
	qsort(more->list, more->nr, sizeof(*more->list), compare);
	merged.list = xmalloc(merged.alloc * sizeof(*merged.list));
	for (size_t i = 0; i < more->nr; i++) {
		more->list[i].source = source;
		while (old < r->nr && r->list[old].from <= more->list[i].from)
			merged.list[merged.nr++] = r->list[old++];
		append(&merged, &more->list[i], old < r->nr ? &r->list[old] : NULL);
	}
	while (old < r->nr)
		merged.list[merged.nr++] = r->list[old++];
	unwind_ranges_release(r);
	unwind_ranges_release(more);
	*r = merged;
}

/* Returns the index of the first range that ends after ADDRESS. */
static size_t first_behind(const struct unwind_ranges *r, uint64_t address)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->list[mid].to <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void unwind_ranges_put(struct unwind_ranges *r, uint64_t start, uint64_t size, unsigned char source)
{
	uint64_t end = start + size;
	size_t i = first_behind(r, start);

	if (!start || (i < r->nr && r->list[i].from <= start && r->list[i].start != start))
		return;
	if (i && r->list[i - 1].to == start)
		r->list[i - 1].to--;
	for (size_t k = i; k < r->nr && r->list[k].from < end; k++)
		r->list[k].from = r->list[k].to < end ? r->list[k].to : end;
	ALLOC_GROW(r->list, r->nr, r->alloc);
	memmove(&r->list[i + 1], &r->list[i], (r->nr - i) * sizeof(*r->list));
	r->nr++;
	r->list[i] = (struct unwind_range){start, start - 1, end, 0, source};
}
