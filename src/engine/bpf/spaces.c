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
	free(s->pushed);
	*s = (struct spaces){0};
}

static struct spaces_pushed *pushed_of(struct spaces *s, const struct process *p)
{
	size_t at = (size_t)(p - s->ps->list);

	if (at >= s->nr) {
		size_t nr = s->ps->alloc;

		s->pushed = xrealloc(s->pushed, nr, sizeof(*s->pushed));
		memset(s->pushed + s->nr, 0, (nr - s->nr) * sizeof(*s->pushed));
		s->nr = nr;
	}
	return &s->pushed[at];
}

static int compare_starts(const void *va, const void *vb)
{
	const struct mapping *a = *(const struct mapping *const *)va;
	const struct mapping *b = *(const struct mapping *const *)vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* What is mapped now, by address; the caller frees it. */
static const struct mapping **mapped_now(
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

/* The program itself and the vdso stay where they are; but it costs next to nothing to look. */
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

/* Puts the list into new blocks; false: it is too long, or the pool is full. */
static bool make_space(struct spaces *s, const struct mapping *const *list, size_t nr,
	struct spaces_pushed *pushed, struct space *space)
{
	size_t leaves = (nr + SPACE_MAPS - 1) / SPACE_MAPS;

	if (!nr || leaves > SPACE_NODES)
		return false;
	pushed->nr = (uint32_t)leaves + (leaves > 1);
	pushed->block = pool_get(s->pool, pushed->nr);
	if (!pushed->block)
		return false;
	space->root = pushed->block;
	space->height = leaves > 1;
	space->leaves = pushed->block + space->height;
	for (size_t i = 0; i < leaves; i++)
		fill_leaf(
			s, space->leaves + (uint32_t)i, list + i * SPACE_MAPS, nr - i * SPACE_MAPS);
	if (space->height)
		fill_node(s, space, leaves);
	return true;
}

static void tell(struct spaces *s, struct process *p, struct spaces_pushed *pushed)
{
	struct spaces_pushed old = *pushed;
	struct space space = {.unchecked = pushed->unchecked, .version = ++s->versions};
	size_t nr;
	const struct mapping **list = mapped_now(s, p, &nr, &space.exec_pages);

	pushed->block = 0;
	if (!make_space(s, list, nr, pushed, &space) ||
		bpf_map_update_elem(s->map, &p->pid, &space, BPF_ANY))
		bpf_map_delete_elem(s->map, &p->pid);
	pool_put(s->pool, old.block, old.nr);
	pushed->told = true;
	pushed->changes = p->changes;
	free(list);
}

void spaces_push(struct spaces *s, struct process *p)
{
	struct spaces_pushed *pushed = pushed_of(s, p);

	if (!pushed->told || pushed->changes != p->changes)
		tell(s, p, pushed);
}

/* A program that begins or ends takes it away. */
static bool is_known(const struct spaces *s, const struct process *p)
{
	struct space space;

	return !bpf_map_lookup_elem(s->map, &p->pid, &space);
}

void spaces_mend(struct spaces *s, struct process *p, uint64_t exec_pages)
{
	struct spaces_pushed *pushed = pushed_of(s, p);
	bool unchecked = pushed->unchecked;
	uint64_t told;
	size_t nr;

	free(mapped_now(s, p, &nr, &told));
	if (told != exec_pages) {
		process_scan(s->ps, p, NULL);
		free(mapped_now(s, p, &nr, &told));
		/* it changes all the time, or the kernel counts what /proc does not show */
		if (told != exec_pages && pushed->told && pushed->changes == p->changes)
			pushed->unchecked = true;
		else
			pushed->unchecked = false;
	}
	if (!pushed->told || pushed->changes != p->changes || pushed->unchecked != unchecked ||
		!is_known(s, p))
		tell(s, p, pushed);
}

void spaces_drop(struct spaces *s, struct process *p)
{
	struct spaces_pushed *pushed = pushed_of(s, p);

	if (pushed->told)
		bpf_map_delete_elem(s->map, &p->pid);
	pool_put(s->pool, pushed->block, pushed->nr);
	*pushed = (struct spaces_pushed){0};
}
