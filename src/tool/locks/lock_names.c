/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lock_names.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>

void lock_names_init(struct lock_names *n, const struct processes *ps)
{
	*n = (struct lock_names){.ps = ps};
	shared_memory_init(&n->shared);
	strpool_init(&n->texts);
	table_init(&n->known);
}

void lock_names_release(struct lock_names *n)
{
	shared_memory_release(&n->shared);
	strpool_release(&n->texts);
	table_release(&n->known);
}

/* Returns the mapping of a file that is the next below ADDRESS, or NULL. A file's data follow its
 * code. */
static const struct mapping *mapping_below(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	const struct mapping *below = NULL;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];

		if (m->start <= address && ps->objects[m->object].elf &&
			(!below || m->start > below->start))
			below = m;
	}
	return below;
}

/* Returns the name of a lock in the data of a file, or NULL if it is elsewhere. The caller frees
 * it. */
static char *name_in_file(struct lock_names *n, uint32_t pid, uint64_t address)
{
	const struct process *p = processes_newest(n->ps, pid);
	const struct mapping *m = p ? mapping_below(n->ps, p, address) : NULL;
	struct elf_data_range range;
	const struct object *o;
	uint64_t linked;

	if (!m)
		return NULL;
	o = &n->ps->objects[m->object];
	if (!elffile_mapped(o->elf, m->offset, m->end - m->start, &linked))
		return NULL;
	linked += address - m->start;
	elffacts_data_at(o->elf, linked, &range);
	if (!range.is_data)
		return NULL;
	if (!*range.variable)
		return xasprintf("%s+0x%" PRIx64, file_name(o->path), linked);
	if (linked == range.start)
		return xasprintf("%s (%s)", range.variable, file_name(o->path));
	return xasprintf(
		"%s+0x%" PRIx64 " (%s)", range.variable, linked - range.start, file_name(o->path));
}

/* Returns the name of a lock that is not in a file. The caller frees it. */
static char *name_in_memory(struct lock_names *n, uint32_t pid, uint64_t address)
{
	char *place = pid ? shared_memory_place(&n->shared, pid, address) : NULL;

	if (place)
		return place;
	if (pid)
		return xasprintf("0x%" PRIx64 " (process %" PRIu32 ")", address, pid);
	return xasprintf("0x%" PRIx64, address);
}

const char *lock_name(struct lock_names *n, uint32_t pid, uint64_t address)
{
	bool is_new;
	uint32_t *text = table_put(&n->known, address, pid, &is_new);

	if (is_new) {
		char *name = name_in_file(n, pid, address);

		if (!name)
			name = name_in_memory(n, pid, address);
		*text = strpool_adds(&n->texts, name);
		free(name);
	}
	return strpool_get(&n->texts, *text);
}
