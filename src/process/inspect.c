/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inspect.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <stdlib.h>

static bool is_known(const struct target *t, size_t nr, const struct elffile *elf)
{
	for (size_t i = 0; i < nr; i++)
		if (t->files[i].elf == elf)
			return true;
	return false;
}

void inspect_init(struct target *t, const struct processes *ps, const struct process *p,
	const char *debug_path)
{
	struct target_file *files = xcalloc(p->nr_maps + 1, sizeof(*files));
	size_t nr = 0;

	*t = (struct target){
		.files = files,
		.memory = memory_of_process(&p->pid),
		.process = p->id,
		.debug = {.root = p->root[0] ? p->root : NULL, .path = debug_path},
	};
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *map = &ps->maps[p->maps[i]];
		const struct object *object = &ps->objects[map->object];
		uint64_t address;

		if (map->to_ns != INT64_MAX || !object->elf || is_known(t, nr, object->elf) ||
			!elffile_mapped(object->elf, map->offset, map->end - map->start, &address))
			continue;
		files[nr++] = (struct target_file){object->elf, object->path, map->start - address};
	}
	t->nr_files = nr;
}

void inspect_release(struct target *t)
{
	free((void *)t->files);
	*t = (struct target){0};
}
