/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"
#include "lib/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timeline_row *timeline_add_row(struct timeline *t, double from, double to)
{
	struct timeline_row *row;

	ALLOC_GROW(t->rows, t->nr, t->alloc);
	row = &t->rows[t->nr++];
	*row = (struct timeline_row){
		.name = STRBUF_INIT, .detail = STRBUF_INIT, .from = from, .to = to};
	return row;
}

void timeline_add_bar(struct timeline_row *row, size_t kind, double from, double to)
{
	from = fmax(from, row->from);
	to = fmin(to, row->to);
	if (!(from < to))
		return;
	ALLOC_GROW(row->bars, row->nr, row->alloc);
	row->bars[row->nr++] = (struct timeline_bar){from, to, kind};
}

void timeline_add_line(struct timeline_row *row, const char *words)
{
	strbuf_addch(&row->detail, '\0');
	strbuf_adds(&row->detail, words);
	strbuf_addch(&row->detail, ' ');
}

void timeline_release(struct timeline *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		strbuf_release(&t->rows[i].name);
		strbuf_release(&t->rows[i].detail);
		free(t->rows[i].bars);
	}
	free(t->rows);
	t->rows = NULL;
	t->nr = t->alloc = 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct timeline_row *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return strcmp(x->name.buf, y->name.buf);
}

void timeline_sort(struct timeline *t)
{
	if (t->nr)
		qsort(t->rows, t->nr, sizeof(*t->rows), compare_rows);
}
