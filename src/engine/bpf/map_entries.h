/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads all entries of a BPF hash map. */
#ifndef ENGINE_BPF_MAP_ENTRIES_H
#define ENGINE_BPF_MAP_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entries {
	void *keys, *values; /* owned by the caller, with room for max entries */
	size_t key_size, value_size;
	uint32_t max, nr;
};

/*
 * Reads the entries of the map FD and, with REMOVE, deletes them. This is done in batches, or one
 * by one if the kernel has no batches for the map. Returns 0, or the errno of an entry that could
 * not be read or deleted; E then has the entries before it.
 */
int map_entries_read(struct map_entries *e, int fd, bool remove);

/* Frees the keys and values. */
void map_entries_release(struct map_entries *e);

#endif
