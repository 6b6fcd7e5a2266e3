/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache of unwind tables on disk, see lib/cache.h. */
#ifndef UNWIND_TABLE_CACHE_H
#define UNWIND_TABLE_CACHE_H

struct unwind_table;

enum { UNWIND_CACHE_TABLES = 4096, UNWIND_CACHE_MIB = 512 };

/*
 * Opens the cached table of BUILD_ID in FOLDER. Returns -1 and an empty TABLE if there is no valid
 * one.
 */
int unwind_cache_get(const char *folder, const char *build_id, struct unwind_table *table);

/* Caches TABLE if possible. */
void unwind_cache_put(const char *folder, const struct unwind_table *table);

#endif
