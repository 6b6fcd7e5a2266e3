/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded cache of files by build-id, in one of our own directories. The least recently used
 * files are removed first. Nothing is cached without a build-id.
 */
#ifndef LIB_CACHE_H
#define LIB_CACHE_H

#include <stdint.h>

struct cache {
	const char *folder;
	const char *suffix;    /* such as ".unwind" */
	uint64_t files, bytes; /* limits for files with that suffix */
};

/*
 * Opens the cached file of BUILD_ID for reading, and marks it as used by its time stamps. It is a
 * regular file of our own user, but may be incomplete. Returns -1 if it is not cached.
 */
int cache_open(const struct cache *cache, const char *build_id);

/*
 * Creates a file for BUILD_ID, mode 0600, open for reading and writing, with a temporary name in
 * the same directory. The caller passes the descriptor and *TEMPORARY to cache_commit() or
 * cache_drop(). Returns -1 on failure. Files left by killed processes are removed like unused ones.
 */
int cache_begin(const struct cache *cache, const char *build_id, char **temporary);

/*
 * Closes FD, renames the file to its final name, and removes files beyond the limits. Does not
 * fsync: after a system crash the file may be incomplete.
 */
void cache_commit(const struct cache *cache, int fd, char *temporary);
void cache_drop(int fd, char *temporary);

#endif
