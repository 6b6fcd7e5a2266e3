/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotated.h"
#include "lib/util.h"

#include <stdlib.h>

void annotated_release(struct annotated *f)
{
	for (size_t i = 0; i < f->nr_sources; i++)
		free(f->sources[i].lines);
	free(f->sources);
	free(f->blocks);
	free(f->name);
	free(f->module);
	free(f->why);
}

/* Returns NULL if no code of F is from this file. */
static struct annotated_source *find_source(const struct annotated *f, uint32_t file)
{
	for (size_t i = 0; i < f->nr_sources; i++)
		if (f->sources[i].file == file)
			return &f->sources[i];
	return NULL;
}

static struct annotated_source *source_of(struct annotated *f, uint32_t file)
{
	struct annotated_source *known = find_source(f, file);

	if (known)
		return known;
	ALLOC_GROW(f->sources, f->nr_sources, f->sources_alloc);
	f->sources[f->nr_sources] = (struct annotated_source){.file = file};
	return &f->sources[f->nr_sources++];
}

void annotated_add_line(struct annotated *f, uint32_t file, uint32_t line)
{
	struct annotated_source *s = source_of(f, file);

	ALLOC_GROW(s->lines, s->nr, s->alloc);
	s->lines[s->nr++] = (struct annotated_line){.line = line, .counter = NO_COUNTER};
}

static int compare_lines(const void *a, const void *b)
{
	const struct annotated_line *x = a, *y = b;

	return compare_u64(x->line, y->line);
}

static void sort_lines(struct annotated_source *s)
{
	size_t nr = 0;

	qsort(s->lines, s->nr, sizeof(*s->lines), compare_lines);
	for (size_t i = 0; i < s->nr; i++)
		if (!nr || s->lines[nr - 1].line != s->lines[i].line)
			s->lines[nr++] = s->lines[i];
	s->nr = nr;
}

void annotated_sort_lines(struct annotated *f)
{
	for (size_t i = 0; i < f->nr_sources; i++)
		sort_lines(&f->sources[i]);
}

struct annotated_line *annotated_find_line(const struct annotated *f, uint32_t file, uint32_t line)
{
	const struct annotated_source *s = find_source(f, file);
	const struct annotated_line key = {.line = line};

	return s ? bsearch(&key, s->lines, s->nr, sizeof(key), compare_lines) : NULL;
}

void annotated_add_block(
	struct annotated *f, uint32_t file, uint32_t first, uint32_t nr, uint32_t into)
{
	ALLOC_GROW(f->blocks, f->nr_blocks, f->blocks_alloc);
	f->blocks[f->nr_blocks++] = (struct annotated_block){file, first, nr, into};
}
