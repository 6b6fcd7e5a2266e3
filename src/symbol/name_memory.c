/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "name_memory.h"
#include "lib/util.h"

#include <stdlib.h>

enum { KNOWN_MAX = 1 << 15 }; /* frames, with their names some 5 MiB */

void name_memory_init(struct name_memory *m)
{
	*m = (struct name_memory){0};
	strpool_init(&m->strings);
	table_init(&m->by_place);
}

void name_memory_release(struct name_memory *m)
{
	strpool_release(&m->strings);
	table_release(&m->by_place);
	free(m->known);
	free(m->names);
	*m = (struct name_memory){0};
}

/* Returns the mapping of F if its file and the place in it are known, or NULL. */
static const struct rec_map *map_of(const struct recording *rec, const struct rec_frame *f)
{
	const struct rec_map *map =
		f->place == AT_MAP && f->kind == FRAME_USER ? &rec->maps[f->map] : NULL;

	return map && map->has_link && map->build_id ? map : NULL;
}

/* Returns the entry of the frame, which is UINT32_MAX if it is new. */
static uint32_t *entry_of(struct name_memory *m, const struct recording *rec,
	const struct rec_frame *f, const struct rec_map *map)
{
	uint32_t build_id = strpool_import(&m->strings, &rec->strings, map->build_id);
	bool is_new;
	uint32_t *entry =
		table_put(&m->by_place, build_id, (map->link + f->addr) << 1 | f->call, &is_new);

	if (is_new)
		*entry = UINT32_MAX;
	return entry;
}

/* Copies a name with its strings from one pool to the other. */
static struct rec_name copy_name(
	struct strpool *to, const struct strpool *from, const struct rec_name *name)
{
	return (struct rec_name){
		.function = strpool_import(to, from, name->function),
		.module = strpool_import(to, from, name->module),
		.file = strpool_import(to, from, name->file),
		.line = name->line,
		.offset = name->offset,
	};
}

/* Names frame I as it is known. One that is known to have no name gets an empty one for now. */
static void recall(struct name_memory *m, struct recording *rec, size_t i, uint32_t known)
{
	struct known_frame k = m->known[known];
	struct rec_frame *f = &rec->frames[i];
	uint32_t nr = k.nr ? k.nr : 1;
	struct rec_name *names = xcalloc(nr, sizeof(*names));

	f->start = k.start;
	f->cold = k.cold;
	for (uint32_t n = 0; n < k.nr; n++)
		names[n] = copy_name(&rec->strings, &m->strings, &m->names[k.first + n]);
	recording_name_frame(rec, (uint32_t)i, names, nr);
	free(names);
}

static uint32_t remember(struct name_memory *m, const struct recording *rec, struct rec_frame f)
{
	struct known_frame k = {(uint32_t)m->nr_names, f.nr_names, f.start, f.cold};

	for (uint32_t n = 0; n < f.nr_names; n++) {
		ALLOC_GROW(m->names, m->nr_names, m->names_alloc);
		m->names[m->nr_names++] =
			copy_name(&m->strings, &rec->strings, &rec->names[f.names + n]);
	}
	ALLOC_GROW(m->known, m->nr_known, m->known_alloc);
	m->known[m->nr_known] = k;
	return (uint32_t)m->nr_known++;
}

/* Remembers the frames that were looked up, and takes the empty names away. */
static void take_found(struct name_memory *m, struct recording *rec)
{
	for (size_t i = 0; i < rec->nr_frames; i++) {
		struct rec_frame *f = &rec->frames[i];
		const struct rec_map *map = map_of(rec, f);
		uint32_t *entry = map ? entry_of(m, rec, f, map) : NULL;

		if (entry && *entry == UINT32_MAX)
			*entry = remember(m, rec, *f);
		else if (entry && !m->known[*entry].nr)
			f->nr_names = 0;
	}
}

void name_memory_resolve(struct name_memory *m, struct recording *rec,
	const struct symbol_options *options, struct strbuf *notes)
{
	if (m->nr_known > KNOWN_MAX) {
		name_memory_release(m);
		name_memory_init(m);
	}
	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_map *map = map_of(rec, &rec->frames[i]);
		uint32_t known = map ? *entry_of(m, rec, &rec->frames[i], map) : UINT32_MAX;

		if (known != UINT32_MAX)
			recall(m, rec, i, known);
	}
	symbol_resolve(rec, options, NULL, notes);
	take_found(m, rec);
}
