/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spaces.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	VERSIONS_MAX = 1 << 16,
	PUBLISH_SHARE = 20, /* publishing a process takes at most 1/20 of the time */
	RUN_STEP = 8, /* longer runs of blocks have a multiple of this length, to fit when reused */
};

_Static_assert(PROCESS_MAPS_MAX == SPACE_NODES * SPACE_MAPS, "what there is room for");

static const struct facet_ops ops;

void spaces_init(struct spaces *s, struct processes *ps, struct pool *pool, struct loader *loader,
	struct facet *layouts, int map_fd)
{
	*s = (struct spaces){
		.ps = ps, .pool = pool, .loader = loader, .layouts = layouts, .map = map_fd};
	table_init(&s->versions);
	facet_init(&s->facet, &ops, NULL, ps);
}

void spaces_release(struct spaces *s)
{
	free(s->entries);
	table_release(&s->versions);
	facet_release(&s->facet);
	*s = (struct spaces){0};
}

/*
 * Returns the entry of P. An earlier process that had this place has ended, so its entry is reset.
 */
static struct spaces_entry *entry_of(struct spaces *s, const struct process *p)
{
	size_t at = (size_t)(p - s->ps->list);

	if (at >= s->nr) {
		size_t nr = s->ps->alloc;

		s->entries = xrealloc(s->entries, nr, sizeof(*s->entries));
		memset(s->entries + s->nr, 0, (nr - s->nr) * sizeof(*s->entries));
		s->nr = nr;
	}
	struct spaces_entry *entry = &s->entries[at];

	if (entry->id != p->id) {
		pool_put(s->pool, entry->block, entry->nr);
		*entry = (struct spaces_entry){.id = p->id};
	}
	return entry;
}

/*
 * Lets the BPF programs compare the build-id in memory, as another file may be mapped there later.
 * This is not needed for the executable and the vdso, but cheap.
 */
static void fill_id(struct space_map *to, const struct elffile *elf)
{
	uint64_t address;

	if (!elffile_build_id_address(elf, &address, &to->id))
		return;
	to->id_at = to->bias + address;
}

static void fill(struct spaces *s, struct space_leaf *leaf, uint32_t at, uint32_t number)
{
	const struct mapping *m = &s->ps->maps[number];
	const struct object *o = &s->ps->objects[m->object];
	uint64_t address;
	struct space_map *to = &leaf->map[at];

	leaf->start[at] = m->start;
	*to = (struct space_map){.end = m->end, .serial = m->shared + 1};
	if (o->elf && elffile_mapped(o->elf, m->offset, m->end - m->start, &address)) {
		to->bias = m->start - address;
		to->table = loader_number(s->loader, m->object);
		fill_id(to, o->elf);
	} else if (!o->elf && recording_is_memory(o->path)) {
		to->table = WALK_MEMORY;
	}
}

static void fill_leaf(struct spaces *s, uint32_t block, const uint32_t *list, size_t nr)
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

/*
 * Returns the version of the list of mappings in LEAVES leaves, with NR mappings in all. Equal
 * lists, as forked processes have them, have the same version and share the cached rules.
 */
static uint32_t version_of(struct spaces *s, uint32_t first, size_t nr)
{
	uint64_t hash = nr;
	bool is_new;

	for (size_t i = 0; i < nr; i += SPACE_MAPS) {
		const struct space_leaf *leaf =
			pool_block(s->pool, first + (uint32_t)(i / SPACE_MAPS));
		size_t rest = nr - i < SPACE_MAPS ? nr - i : SPACE_MAPS;

		hash = hash_pair(
			hash, hash_text((const char *)leaf->start, rest * sizeof(*leaf->start)));
		hash = hash_pair(
			hash, hash_text((const char *)leaf->map, rest * sizeof(*leaf->map)));
	}
	if (s->versions.nr >= VERSIONS_MAX) {
		table_release(&s->versions);
		table_init(&s->versions);
	}
	uint32_t *version = table_put(&s->versions, hash, 0, &is_new);

	if (is_new)
		*version = ++s->nr_versions;
	return *version;
}

/*
 * Writes the current mappings to new blocks. Returns false if there are none or the pool is full.
 */
static bool make_space(
	struct spaces *s, const struct process *p, struct spaces_entry *entry, struct space *space)
{
	size_t nr = p->nr_maps, leaves = (nr + SPACE_MAPS - 1) / SPACE_MAPS;

	if (!nr || leaves > SPACE_NODES)
		return false;
	entry->nr = (uint32_t)leaves + (leaves > 1);
	if (entry->nr > 1)
		entry->nr = (entry->nr + RUN_STEP - 1) / RUN_STEP * RUN_STEP;
	entry->block = pool_get(s->pool, entry->nr);
	if (!entry->block)
		return false;
	space->root = entry->block;
	space->height = leaves > 1;
	space->leaves = entry->block + space->height;
	for (size_t i = 0; i < leaves; i++)
		fill_leaf(s, space->leaves + (uint32_t)i, p->maps + i * SPACE_MAPS,
			nr - i * SPACE_MAPS);
	if (space->height)
		fill_node(s, space, leaves);
	space->version = version_of(s, space->leaves, nr);
	return true;
}

static void publish(struct spaces *s, struct process *p, struct spaces_entry *entry)
{
	struct spaces_entry old = *entry;
	struct space space = {.unchecked = entry->unchecked, .exec_pages = p->exec_pages};

	int64_t began_ns = cpu_time_ns();

	entry->block = 0;
	jit_layouts_of(s->layouts, p);
	if (!make_space(s, p, entry, &space) ||
		bpf_map_update_elem(s->map, &p->pid, &space, BPF_ANY))
		bpf_map_delete_elem(s->map, &p->pid);
	pool_put(s->pool, old.block, old.nr);
	entry->published = true;
	entry->changes = p->changes;
	entry->published_ns = monotonic_ns();
	entry->took_ns = cpu_time_ns() - began_ns;
}

static bool may_publish(const struct spaces_entry *entry)
{
	return !entry->published ||
	       monotonic_ns() - entry->published_ns >= PUBLISH_SHARE * entry->took_ns;
}

bool spaces_update(struct spaces *s, struct process *p)
{
	struct spaces_entry *entry = entry_of(s, p);

	if (entry->published ? entry->changes == p->changes : s->late)
		return true;
	if (!may_publish(entry))
		return false;
	publish(s, p, entry);
	return true;
}

/* Returns whether the process is still in the map. The BPF programs remove it at exec and exit. */
static bool is_in_map(const struct spaces *s, const struct process *p)
{
	struct space space;

	return !bpf_map_lookup_elem(s->map, &p->pid, &space);
}

/*
 * Returns whether the published mappings cannot be checked, because they change all the time or the
 * kernel counts more pages than /proc shows. A count from before they were published does not tell.
 */
static bool is_uncheckable(struct spaces *s, struct process *p, const struct spaces_entry *entry,
	uint64_t exec_pages, int64_t time_ns)
{
	if (p->exec_pages == exec_pages || (entry->published && time_ns <= entry->published_ns))
		return entry->unchecked;
	if (!process_may_scan(p))
		return entry->published;
	process_scan(s->ps, p, NULL);
	return p->exec_pages != exec_pages && entry->published && entry->changes == p->changes;
}

void spaces_check(struct spaces *s, struct process *p, uint64_t exec_pages, int64_t time_ns)
{
	struct spaces_entry *entry = entry_of(s, p);
	bool unchecked = is_uncheckable(s, p, entry, exec_pages, time_ns);
	bool is_true = entry->published && entry->changes == p->changes &&
		       entry->unchecked == unchecked && is_in_map(s, p);

	if (is_true || !may_publish(entry))
		return;
	entry->unchecked = unchecked;
	publish(s, p, entry);
}

static void executed(struct facet *f, uint32_t pid)
{
	struct spaces *s = (struct spaces *)f;
	const struct process *p = processes_known(s->ps, pid);
	struct spaces_entry *entry = p ? entry_of(s, p) : NULL;

	if (entry)
		entry->published = entry->unchecked = false;
}

static void ended(struct facet *f, uint32_t pid)
{
	struct spaces *s = (struct spaces *)f;
	const struct process *p = processes_known(s->ps, pid);
	struct spaces_entry *entry = p ? entry_of(s, p) : NULL;

	if (!entry)
		return;
	if (entry->published)
		bpf_map_delete_elem(s->map, &pid);
	pool_put(s->pool, entry->block, entry->nr);
	*entry = (struct spaces_entry){.id = p->id};
}

static const struct facet_ops ops = {.executed = executed, .ended = ended};
