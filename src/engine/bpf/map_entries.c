/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "map_entries.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

static void *key_at(const struct map_entries *e, uint32_t i)
{
	return (char *)e->keys + i * e->key_size;
}

static void *value_at(const struct map_entries *e, uint32_t i)
{
	return (char *)e->values + i * e->value_size;
}

static int read_batches(struct map_entries *e, int fd, bool remove)
{
	uint32_t position, *from = NULL;
	int error = 0;

	while (!error && e->nr < e->max) {
		uint32_t n = e->max - e->nr;

		error = (remove ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch)(
			fd, from, &position, key_at(e, e->nr), value_at(e, e->nr), &n, NULL);
		if (error && error != -ENOENT)
			return -error;
		e->nr += n;
		from = &position;
	}
	return 0;
}

/*
 * Reads one entry after another. Removing an entry makes the next one the first. Programs may
 * delete entries meanwhile.
 */
static int read_singly(struct map_entries *e, int fd, bool remove)
{
	const void *before = NULL;
	int error = 0;

	while (e->nr < e->max && !(error = bpf_map_get_next_key(fd, before, key_at(e, e->nr)))) {
		error = bpf_map_lookup_elem(fd, key_at(e, e->nr), value_at(e, e->nr));
		if (!error && remove)
			error = bpf_map_delete_elem(fd, key_at(e, e->nr));
		if (error && (remove || error != -ENOENT))
			break;
		before = remove ? NULL : key_at(e, e->nr);
		e->nr += !error;
	}
	return error == -ENOENT ? 0 : -error;
}

int map_entries_read(struct map_entries *e, int fd, bool remove)
{
	e->nr = 0;
	if (!read_batches(e, fd, remove))
		return 0;
	if (!remove)
		e->nr = 0;
	return read_singly(e, fd, remove);
}

void map_entries_release(struct map_entries *e)
{
	free(e->keys);
	free(e->values);
	e->keys = e->values = NULL;
}
