/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All entries of a hash map of the BPF programs, at once. */
#ifndef ENGINE_BPF_MAP_ENTRIES_H
#define ENGINE_BPF_MAP_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entries {
	void *keys, *values; /* the caller's, room for MAX */
	size_t key_size, value_size;
	uint32_t max, nr;
};

/*
 * Reads the entries of the map FD and, with TAKE, deletes them: in batches, or one by one where the
 * kernel refuses those. 0, or errno of what could not be read or deleted: E then has the others.
 */
int map_entries_read(struct map_entries *e, int fd, bool take);

#endif
