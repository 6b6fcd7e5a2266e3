/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table_cache.h"
#include "lib/cache.h"
#include "lib/util.h"
#include "unwind_table.h"

#include <unistd.h>

static struct cache cache_in(const char *folder)
{
	return (struct cache){
		.folder = folder,
		.suffix = ".unwind",
		.files = UNWIND_CACHE_TABLES,
		.bytes = (uint64_t)UNWIND_CACHE_MIB << 20,
	};
}

int unwind_cache_get(const char *folder, const char *build_id, struct unwind_table *table)
{
	struct cache cache = cache_in(folder);
	int fd = cache_open(&cache, build_id);

	*table = (struct unwind_table){0};
	if (fd < 0)
		return -1;
	int ret = unwind_table_open(table, fd, build_id);

	close(fd);
	return ret;
}

void unwind_cache_put(const char *folder, const struct unwind_table *table)
{
	struct cache cache = cache_in(folder);
	char *temporary;
	int fd = table->header ? cache_begin(&cache, table->header->build_id, &temporary) : -1;

	if (fd < 0)
		return;
	if (write_whole(fd, table->blocks, table->size))
		cache_drop(fd, temporary);
	else
		cache_commit(&cache, fd, temporary);
}
