/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "choice.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/similar.h"

#include <stdlib.h>
#include <string.h>

static const struct recorded *sorted; /* for compare() */

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_u64(sorted->list[y].self, sorted->list[x].self);

	if (!order)
		order = compare_u64(sorted->list[y].total, sorted->list[x].total);
	if (!order)
		order = strpool_compare(&sorted->names, sorted->list[x].name, sorted->list[y].name);
	return order ? order : compare_u64(x, y);
}

static bool matches(const struct recorded *r, uint32_t function, const struct pattern *pattern)
{
	uint32_t name = r->list[function].name;

	return r->list[function].total &&
	       pattern_matches(pattern, recorded_name(r, function), strpool_len(&r->names, name));
}

static bool is_hot(const struct recorded *r, uint32_t function)
{
	const struct recorded_function *f = &r->list[function];

	return f->self && f->out_of_line && f->at_address &&
	       (f->kind == FRAME_USER || f->kind == FRAME_KERNEL);
}

static void note_missing(
	const struct recorded *r, const struct pattern *pattern, struct strbuf *notes)
{
	struct similar similar;

	similar_init(&similar, pattern->s);
	for (uint32_t i = 0; i < r->nr; i++)
		if (r->list[i].total)
			similar_try(&similar, recorded_name(r, i), strlen(recorded_name(r, i)));
	similar_note(&similar, pattern->s, notes);
}

size_t choice_make(const struct recorded *r, const struct pattern_list *patterns, unsigned top,
	uint32_t **list, bool *missing, struct strbuf *notes)
{
	bool *chosen = xcalloc(r->nr, sizeof(*chosen));
	size_t n = 0;

	*list = xcalloc(r->nr, sizeof(**list));
	for (size_t i = 0; i < patterns->nr; i++) {
		bool any = false;

		for (uint32_t k = 0; k < r->nr; k++)
			if (matches(r, k, &patterns->list[i]))
				any = chosen[k] = true;
		if (!any)
			note_missing(r, &patterns->list[i], notes);
		*missing |= !any;
	}
	for (uint32_t k = 0; k < r->nr; k++)
		if (patterns->nr ? chosen[k] : is_hot(r, k))
			(*list)[n++] = k;
	sorted = r;
	if (n)
		qsort(*list, n, sizeof(**list), compare);
	free(chosen);
	return top && n > top ? top : n;
}
