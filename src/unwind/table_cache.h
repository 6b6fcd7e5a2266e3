/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables that are kept on disk, see lib/cache.h. */
#ifndef UNWIND_TABLE_CACHE_H
#define UNWIND_TABLE_CACHE_H

struct unwind_table;

enum { UNWIND_CACHE_TABLES = 4096, UNWIND_CACHE_MIB = 512 };

/* 0, or -1 and an empty TABLE when FOLDER has none for BUILD_ID that is whole and our own. */
int unwind_cache_get(const char *folder, const char *build_id, struct unwind_table *table);

/* Keeps TABLE if that is possible. */
void unwind_cache_put(const char *folder, const struct unwind_table *table);

#endif
