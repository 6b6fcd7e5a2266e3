/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file_choice.h"
#include "lib/similar.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/function_match.h"
#include "weighing.h"

#include <stdlib.h>
#include <string.h>

/* The files of a recording. */
struct file_chooser {
	const struct recording *rec;
	struct chosen_file *list;
	size_t nr, alloc;
};

static const char *path_of(const struct file_chooser *c, size_t i)
{
	return recording_get(c->rec, c->list[i].path);
}

/* Returns the rest of PATH after its next slash, or NULL if there is none. */
static const char *shorter(const char *path)
{
	const char *slash = strchr(path, '/');

	return slash ? slash + 1 : NULL;
}

static void weigh(struct file_chooser *c, const struct recording_view *view)
{
	const struct recording *rec = c->rec;
	struct table by_path;
	struct weighing w;
	bool is_new;

	table_init(&by_path);
	weighing_init(&w, rec);
	for (uint32_t i = 0; i < rec->nr_frames; i++)
		for (uint32_t k = 0; k < rec->frames[i].nr_names; k++) {
			const struct rec_name *n = &rec->names[rec->frames[i].names + k];

			if (!n->file || !n->line)
				continue;
			uint32_t *at = table_put(&by_path, n->file, 0, &is_new);

			if (is_new) {
				*at = weighing_add(&w);
				ALLOC_GROW(c->list, c->nr, c->alloc);
				c->list[c->nr++] = (struct chosen_file){.path = n->file};
			}
			weighing_link(&w, i, *at);
		}
	weighing_sum(&w, rec, view);
	for (size_t i = 0; i < c->nr; i++) {
		c->list[i].self = w.list[i].self;
		c->list[i].total = w.list[i].total;
	}
	weighing_release(&w);
	table_release(&by_path);
}

static void learn(const struct file_chooser *c, struct function_match *m)
{
	for (size_t i = 0; i < c->nr; i++)
		for (const char *s = path_of(c, i); s && c->list[i].total; s = shorter(s))
			function_match_learn(m, s, strlen(s));
}

static bool matches(const struct file_chooser *c, size_t i, const struct function_match *m)
{
	for (const char *s = path_of(c, i); s && c->list[i].total; s = shorter(s))
		if (function_match_name(m, s, strlen(s)))
			return true;
	return false;
}

static void note_missing(const struct file_chooser *c, const char *text, struct strbuf *notes)
{
	struct similar similar;

	similar_init(&similar, text);
	for (size_t i = 0; i < c->nr; i++)
		for (const char *s = path_of(c, i); s && c->list[i].total; s = shorter(s))
			similar_try(&similar, s, strlen(s));
	similar_note(&similar, "source file", text, notes);
}

static const struct recording *sorted; /* for compare() */

static int compare(const void *a, const void *b)
{
	const struct chosen_file *x = a, *y = b;
	int order = compare_u64(y->self, x->self);

	if (!order)
		order = compare_u64(y->total, x->total);
	return order ? order : strpool_compare(&sorted->strings, x->path, y->path);
}

size_t file_choice_make(const struct recording *rec, const struct recording_view *view,
	struct function_match_list *files, unsigned top, struct chosen_file **list, bool *missing,
	struct strbuf *notes)
{
	struct file_chooser c = {.rec = rec};
	bool *chosen;
	size_t n = 0;

	*list = NULL;
	if (!files->nr)
		return 0;
	weigh(&c, view);
	chosen = xcalloc(c.nr, sizeof(*chosen));
	for (size_t i = 0; i < files->nr; i++) {
		bool any = false;

		learn(&c, &files->list[i]);
		for (size_t k = 0; k < c.nr; k++)
			if (matches(&c, k, &files->list[i]))
				any = chosen[k] = true;
		if (!any)
			note_missing(&c, files->list[i].text, notes);
		*missing |= !any;
	}
	for (size_t k = 0; k < c.nr; k++)
		if (chosen[k])
			c.list[n++] = c.list[k];
	sorted = rec;
	if (n)
		qsort(c.list, n, sizeof(*c.list), compare);
	free(chosen);
	*list = c.list;
	return top && n > top ? top : n;
}
