/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top_names.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/resolve.h"

#include <stdlib.h>
#include <string.h>

void top_names_init(struct top_names *n)
{
	*n = (struct top_names){0};
	table_init(&n->by_address);
	strpool_init(&n->strings);
}

void top_names_release(struct top_names *n)
{
	table_release(&n->by_address);
	strpool_release(&n->strings);
	free(n->list);
	free(n->names);
}

static uint64_t hash_string(const struct recording *rec, uint32_t string)
{
	return hash_text(strpool_get(&rec->strings, string), strpool_len(&rec->strings, string));
}

static bool is_memory(const struct recording *rec, const struct rec_map *map)
{
	return !map->build_id && recording_is_memory(recording_get(rec, map->path));
}

/* Hashes what F is in: a file, or the memory of one process. */
static uint64_t hash_map(const struct recording *rec, const struct rec_map *map)
{
	uint64_t hash = hash_pair(hash_string(rec, map->path), hash_string(rec, map->build_id));

	return is_memory(rec, map) ? hash_pair(hash, map->pid ^ map->start) : hash;
}

/* Returns the place of F's number in the table, which is 0 if F is not known. */
static uint32_t *find(struct top_names *n, const struct recording *rec, const struct rec_frame *f)
{
	const struct rec_map *map = &rec->maps[f->map];
	uint64_t begin = map->has_link ? map->link : map->offset;
	bool is_new;

	return table_put(
		&n->by_address, hash_map(rec, map), (begin + f->addr) << 1 | f->call, &is_new);
}

/* Returns the number in TO of string NUMBER of FROM. */
static uint32_t copy_string(struct strpool *to, const struct strpool *from, uint32_t number)
{
	return number ? strpool_add(to, strpool_get(from, number), strpool_len(from, number)) : 0;
}

static struct rec_name copy_name(
	struct strpool *to, const struct strpool *from, const struct rec_name *name)
{
	return (struct rec_name){
		.function = copy_string(to, from, name->function),
		.offset = name->offset,
		.module = copy_string(to, from, name->module),
		.file = copy_string(to, from, name->file),
		.line = name->line,
	};
}

static bool lacks_name(const struct rec_frame *f)
{
	return f->place == AT_MAP && !f->nr_names;
}

static void give_name(struct top_names *n, struct recording *rec, uint32_t frame, uint32_t number)
{
	const struct top_name *known = &n->list[number - 1];
	struct rec_name *names = xcalloc(known->nr, sizeof(*names));

	for (uint32_t i = 0; i < known->nr; i++)
		names[i] = copy_name(&rec->strings, &n->strings, &n->names[known->first + i]);
	recording_name_frame(rec, frame, names, known->nr);
	free(names);
}

/* Names a frame whose file has no name for it. */
static void name_unnamed(struct recording *rec, uint32_t frame)
{
	struct strbuf text = STRBUF_INIT;

	recording_add_unnamed(rec, &rec->frames[frame], &text);
	recording_name_frame(
		rec, frame, &(struct rec_name){.function = recording_string(rec, text.buf)}, 1);
	strbuf_release(&text);
}

static void learn(struct top_names *n, const struct recording *rec, const struct rec_frame *f)
{
	uint32_t *number = find(n, rec, f);

	if (*number)
		return;
	ALLOC_GROW(n->list, n->nr, n->alloc);
	n->list[n->nr++] = (struct top_name){(uint32_t)n->nr_names, f->nr_names};
	*number = (uint32_t)n->nr;
	for (uint32_t i = 0; i < f->nr_names; i++) {
		ALLOC_GROW(n->names, n->nr_names, n->names_alloc);
		n->names[n->nr_names++] =
			copy_name(&n->strings, &rec->strings, &rec->names[f->names + i]);
	}
}

void top_names_resolve(
	struct top_names *n, struct recording *rec, const struct symbol_options *options)
{
	struct symbol_options quick = *options;
	struct strbuf notes = STRBUF_INIT;
	bool any = false;

	quick.inlines = quick.lines = false;
	quick.quiet = true;
	quick.debuginfod = DEBUGINFOD_NEVER; /* nobody waits for downloads */
	for (uint32_t i = 0; i < rec->nr_frames; i++) {
		uint32_t number = lacks_name(&rec->frames[i]) ? *find(n, rec, &rec->frames[i]) : 0;

		if (number)
			give_name(n, rec, i, number);
		any |= lacks_name(&rec->frames[i]);
	}
	if (any)
		symbol_resolve(rec, &quick, NULL, &notes);
	strbuf_release(&notes);
	for (uint32_t i = 0; any && i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];

		if (lacks_name(f) && !is_memory(rec, &rec->maps[f->map]))
			name_unnamed(rec, i);
		if (f->place == AT_MAP && f->nr_names)
			learn(n, rec, f);
	}
}
