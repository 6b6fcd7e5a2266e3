/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ended_maps.h"
#include "jitmap.h"
#include "lib/hash.h"
#include "mappings.h"

static bool is_memory(const struct ended_maps *m, const struct mapping *map)
{
	return recording_is_memory(m->ps->objects[map->object].path);
}

static uint32_t *find_part(struct ended_maps *m, const struct mapping *map, bool *is_new)
{
	uint64_t part = is_memory(m, map) ? 0 : hash_pair(map->offset, map->end - map->start);

	return table_put(&m->parts, map->object, part, is_new);
}

static bool same_part(const struct ended_maps *m, const struct mapping *a, const struct mapping *b)
{
	return is_memory(m, a) ||
	       (a->offset == b->offset && a->end - a->start == b->end - b->start);
}

void ended_maps_init(struct ended_maps *m, struct processes *ps, int64_t time_ns)
{
	bool is_new;

	*m = (struct ended_maps){.ps = ps, .time_ns = time_ns};
	table_init(&m->parts);
	table_init(&m->named);
	for (size_t i = 0; i < ps->nr; i++) {
		const struct process *p = &ps->list[i];

		if (p->pid && (!p->gone || (p->jit && jitmap_found(p->jit))))
			table_put(&m->named, p->pid, 0, &is_new);
	}
	for (size_t i = 0; i < ps->nr_maps; i++)
		if (ps->maps[i].end && !ps->maps[i].pid)
			*find_part(m, &ps->maps[i], &is_new) = (uint32_t)i;
}

void ended_maps_release(struct ended_maps *m)
{
	table_release(&m->parts);
	table_release(&m->named);
}

uint32_t ended_maps_find(struct ended_maps *m, uint32_t number, bool *anywhere)
{
	const struct mapping *ended = &m->ps->maps[number];
	const struct process nobody = {0};
	bool is_new;

	*anywhere = false;
	if (!ended->pid || ended->to_ns >= m->time_ns ||
		(is_memory(m, ended) && table_get(&m->named, ended->pid, 0)))
		return number;
	struct mapping map = *ended;
	uint32_t *at = find_part(m, &map, &is_new);

	map.generation = 1;
	if (is_new && !mappings_new(m->ps, &nobody, &map, at))
		*at = number;
	if (!same_part(m, &m->ps->maps[*at], &map))
		return number;
	*anywhere = is_memory(m, &map);
	return *at;
}
