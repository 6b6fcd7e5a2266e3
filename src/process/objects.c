/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <stdlib.h>

/* ---- needed objects ---- */

static void mark_mapped(struct processes *ps)
{
	for (size_t i = 0; i < ps->nr_objects; i++)
		ps->objects[i].is_used = false;
	for (size_t i = 0; i < ps->nr_maps; i++) {
		const struct mapping *m = &ps->maps[i];
		struct object *o = &ps->objects[m->object];

		if (!m->end)
			continue;
		o->is_used = true;
		if (m->pid && m->to_ns > o->mapped_ns)
			o->mapped_ns = m->to_ns;
	}
}

static int compare_times(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return (*a < *b) - (*a > *b);
}

/* Returns the end time of the oldest among the last MAX objects that ended before TIME_NS. */
static int64_t oldest_needed(const struct processes *ps, int64_t time_ns, size_t max)
{
	int64_t *times = xcalloc(ps->nr_objects + 1, sizeof(*times)), oldest;
	size_t nr = 0;

	for (size_t i = 0; i < ps->nr_objects; i++)
		if (ps->objects[i].path && ps->objects[i].mapped_ns < time_ns)
			times[nr++] = ps->objects[i].mapped_ns;
	qsort(times, nr, sizeof(*times), compare_times);
	oldest = !max ? time_ns : nr > max ? times[max - 1] : 0;
	free(times);
	return oldest;
}

void objects_mark(struct processes *ps, int64_t time_ns, size_t max)
{
	mark_mapped(ps);
	int64_t oldest = oldest_needed(ps, time_ns, max);

	for (size_t i = 0; i < ps->nr_objects; i++) {
		struct object *o = &ps->objects[i];

		o->is_needed = o->path && o->mapped_ns >= oldest;
		if (o->mapped_ns == INT64_MAX)
			/* The next call sets it again if the object is still mapped. */
			o->mapped_ns = time_ns;
	}
}

/* ---- other objects ---- */

static bool is_unused(const struct object *o)
{
	return o->path && !o->is_needed && !o->is_used && !o->table;
}

/* Removes the unused objects from the table. */
static void drop_numbers(const struct processes *ps, struct table *t)
{
	struct table kept;
	bool is_new;

	table_init(&kept);
	for (size_t i = 0; i <= t->mask; i++) {
		const struct table_slot *slot = &t->slots[i];

		if (slot->used && !is_unused(&ps->objects[slot->value]))
			*table_put(&kept, slot->a, slot->b, &is_new) = slot->value;
	}
	table_release(t);
	*t = kept;
}

static void release_object(struct object *o)
{
	elffile_close(o->elf);
	free(o->path);
	free(o->build_id);
	*o = (struct object){0};
}

void objects_sweep(struct processes *ps)
{
	drop_numbers(ps, &ps->by_file);
	drop_numbers(ps, &ps->by_build_id);
	for (size_t i = 0; i < ps->nr_objects; i++) {
		struct object *o = &ps->objects[i];

		if (is_unused(o)) {
			release_object(o);
			ALLOC_GROW(ps->unused_objects, ps->nr_unused_objects,
				ps->unused_objects_alloc);
			ps->unused_objects[ps->nr_unused_objects++] = (uint32_t)i;
		} else if (o->elf && !o->is_needed && !o->table) {
			elffile_shut(o->elf);
		}
	}
}
