/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "choice.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/function_match.h"
#include "lib/similar.h"

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

static void learn(const struct recorded *r, struct function_match *m)
{
	for (uint32_t i = 0; i < r->nr; i++)
		if (r->list[i].total)
			function_match_learn(m, recorded_name(r, i), strlen(recorded_name(r, i)));
}

static bool matches(const struct recorded *r, uint32_t function, const struct function_match *m)
{
	const char *name = recorded_name(r, function);

	return r->list[function].total && function_match_name(m, name, strlen(name));
}

static bool is_hot(const struct recorded *r, uint32_t function)
{
	const struct recorded_function *f = &r->list[function];

	return f->self && f->out_of_line &&
	       (f->has_line ||
		       (f->at_address && (f->kind == FRAME_USER || f->kind == FRAME_KERNEL)));
}

static void note_missing(const struct recorded *r, const char *text, struct strbuf *notes)
{
	struct similar similar;

	similar_init(&similar, text);
	for (uint32_t i = 0; i < r->nr; i++)
		if (r->list[i].total)
			similar_try(&similar, recorded_name(r, i), strlen(recorded_name(r, i)));
	similar_note(&similar, "function", text, notes);
}

size_t choice_make(const struct recorded *r, struct function_match_list *functions, unsigned top,
	uint32_t **list, bool *missing, struct strbuf *notes)
{
	bool *chosen = xcalloc(r->nr, sizeof(*chosen));
	size_t n = 0;

	*list = xcalloc(r->nr, sizeof(**list));
	for (size_t i = 0; i < functions->nr; i++) {
		bool any = false;

		learn(r, &functions->list[i]);
		for (uint32_t k = 0; k < r->nr; k++)
			if (matches(r, k, &functions->list[i]))
				any = chosen[k] = true;
		if (!any)
			note_missing(r, functions->list[i].text, notes);
		*missing |= !any;
	}
	for (uint32_t k = 0; k < r->nr; k++)
		if (functions->nr ? chosen[k] : is_hot(r, k))
			(*list)[n++] = k;
	sorted = r;
	if (n)
		qsort(*list, n, sizeof(**list), compare);
	free(chosen);
	return top && n > top ? top : n;
}
