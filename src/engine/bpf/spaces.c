/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spaces.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void spaces_init(struct spaces *s, struct processes *ps, struct pool *pool, struct loader *loader,
	int map_fd)
{
	*s = (struct spaces){.ps = ps, .pool = pool, .loader = loader, .map = map_fd};
}

void spaces_release(struct spaces *s)
{
	free(s->entries);
	*s = (struct spaces){0};
}

static struct spaces_entry *entry_of(struct spaces *s, const struct process *p)
{
	size_t at = (size_t)(p - s->ps->list);

	if (at >= s->nr) {
		size_t nr = s->ps->alloc;

		s->entries = xrealloc(s->entries, nr, sizeof(*s->entries));
		memset(s->entries + s->nr, 0, (nr - s->nr) * sizeof(*s->entries));
		s->nr = nr;
	}
	return &s->entries[at];
}

static int compare_starts(const void *va, const void *vb)
{
	const struct mapping *a = *(const struct mapping *const *)va;
	const struct mapping *b = *(const struct mapping *const *)vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Sorted by address; the caller frees the list. EXEC_PAGES: the size of them all. */
static const struct mapping **current_mappings(
	const struct spaces *s, const struct process *p, size_t *nr, uint64_t *exec_pages)
{
	const struct mapping **list = xcalloc(p->nr_maps + 1, sizeof(*list));
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	*nr = 0;
	*exec_pages = 0;
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &s->ps->maps[p->maps[i]];

		if (m->to_ns != INT64_MAX)
			continue;
		if (!m->writable) /* as the kernel's is_exec_mapping() counts */
			*exec_pages += (m->end - m->start) / page;
		if (p->maps[i] + 1 < WALK_SERIALS)
			list[(*nr)++] = m;
	}
	qsort(list, *nr, sizeof(*list), compare_starts);
	return list;
}

/*
 * The BPF programs compare the build-id in memory, as another file may have been mapped there. Not
 * needed for the executable and the vdso, but cheap.
 */
static void fill_id(struct space_map *to, const struct elffile *elf)
{
	uint64_t address;

	if (!elffile_build_id_address(elf, &address, &to->id))
		return;
	to->id_at = to->bias + address;
}

static void fill(struct spaces *s, struct space_leaf *leaf, uint32_t at, const struct mapping *m)
{
	const struct object *o = &s->ps->objects[m->object];
	uint64_t address;
	struct space_map *to = &leaf->map[at];

	leaf->start[at] = m->start;
	to->end = m->end;
	to->serial = (uint32_t)(m - s->ps->maps) + 1;
	if (o->elf && elffile_mapped(o->elf, m->offset, m->end - m->start, &address)) {
		to->bias = m->start - address;
		to->table = loader_number(s->loader, m->object);
		fill_id(to, o->elf);
	}
}

static void fill_leaf(
	struct spaces *s, uint32_t block, const struct mapping *const *list, size_t nr)
{
	struct space_leaf *leaf = pool_block(s->pool, block);

	for (uint32_t i = 0; i < SPACE_MAPS; i++)
		leaf->start[i] = INT64_MAX;
	for (uint32_t i = 0; i < nr && i < SPACE_MAPS; i++)
		fill(s, leaf, i, list[i]);
}

static void fill_node(struct spaces *s, struct space *space, size_t nr_leaves)
{
	struct space_node *node = pool_block(s->pool, space->root);

	for (uint32_t i = 0; i < SPACE_NODES; i++)
		node->start[i] = INT64_MAX;
	for (uint32_t i = 0; i < nr_leaves; i++) {
		const struct space_leaf *leaf = pool_block(s->pool, space->leaves + i);

		node->start[i] = leaf->start[0];
	}
}

/* Writes the list to new blocks. False: it is too long, or the pool is full. */
static bool make_space(struct spaces *s, const struct mapping *const *list, size_t nr,
	struct spaces_entry *entry, struct space *space)
{
	size_t leaves = (nr + SPACE_MAPS - 1) / SPACE_MAPS;

	if (!nr || leaves > SPACE_NODES)
		return false;
	entry->nr = (uint32_t)leaves + (leaves > 1);
	entry->block = pool_get(s->pool, entry->nr);
	if (!entry->block)
		return false;
	space->root = entry->block;
	space->height = leaves > 1;
	space->leaves = entry->block + space->height;
	for (size_t i = 0; i < leaves; i++)
		fill_leaf(
			s, space->leaves + (uint32_t)i, list + i * SPACE_MAPS, nr - i * SPACE_MAPS);
	if (space->height)
		fill_node(s, space, leaves);
	return true;
}

static void publish(struct spaces *s, struct process *p, struct spaces_entry *entry)
{
	struct spaces_entry old = *entry;
	struct space space = {.unchecked = entry->unchecked, .version = ++s->versions};
	size_t nr;
	const struct mapping **list = current_mappings(s, p, &nr, &space.exec_pages);

	entry->block = 0;
	if (!make_space(s, list, nr, entry, &space) ||
		bpf_map_update_elem(s->map, &p->pid, &space, BPF_ANY))
		bpf_map_delete_elem(s->map, &p->pid);
	pool_put(s->pool, old.block, old.nr);
	entry->published = true;
	entry->changes = p->changes;
	free(list);
}

void spaces_update(struct spaces *s, struct process *p)
{
	struct spaces_entry *entry = entry_of(s, p);

	if (!entry->published || entry->changes != p->changes)
		publish(s, p, entry);
}

/* The BPF programs remove a process at exec and exit. */
static bool is_in_map(const struct spaces *s, const struct process *p)
{
	struct space space;

	return !bpf_map_lookup_elem(s->map, &p->pid, &space);
}

void spaces_check(struct spaces *s, struct process *p, uint64_t exec_pages)
{
	struct spaces_entry *entry = entry_of(s, p);
	bool unchecked = entry->unchecked;
	uint64_t mapped;
	size_t nr;

	free(current_mappings(s, p, &nr, &mapped));
	if (mapped != exec_pages) {
		process_scan(s->ps, p, NULL);
		free(current_mappings(s, p, &nr, &mapped));
		/* the mappings change all the time, or the kernel counts more than /proc shows */
		if (mapped != exec_pages && entry->published && entry->changes == p->changes)
			entry->unchecked = true;
		else
			entry->unchecked = false;
	}
	if (!entry->published || entry->changes != p->changes || entry->unchecked != unchecked ||
		!is_in_map(s, p))
		publish(s, p, entry);
}

void spaces_remove(struct spaces *s, struct process *p)
{
	struct spaces_entry *entry = entry_of(s, p);

	if (entry->published)
		bpf_map_delete_elem(s->map, &p->pid);
	pool_put(s->pool, entry->block, entry->nr);
	*entry = (struct spaces_entry){0};
}
