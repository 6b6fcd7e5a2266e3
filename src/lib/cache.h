/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files on disk by build-id, in a folder that is ours. It is bounded: what was not used for longest
 * goes first. Files without build-id are not kept.
 */
#ifndef LIB_CACHE_H
#define LIB_CACHE_H

#include <stdint.h>

struct cache {
	const char *folder;
	const char *suffix;    /* ".unwind": what is kept */
	uint64_t files, bytes; /* at most, of that suffix */
};

/*
 * The file that is kept for BUILD_ID, open for reading, its time of use set to now; it is ours and
 * a regular file, but may not be whole. -1: none.
 */
int cache_open(const struct cache *cache, const char *build_id);

/*
 * Begins a file for BUILD_ID: open for writing and reading, mode 0600, beside the others, under a
 * name in *TEMPORARY. Both are the caller's to hand to cache_commit or cache_drop. -1, and nothing
 * to hand over: it cannot be kept. What a process leaves that dies meanwhile counts as one that was
 * not used since.
 */
int cache_begin(const struct cache *cache, const char *build_id, char **temporary);

/*
 * Closes FD and puts the file in its place at once; what is too much goes. Does not wait for the
 * disk: after a crash of the machine the file may not be whole.
 */
void cache_commit(const struct cache *cache, int fd, char *temporary);
void cache_drop(int fd, char *temporary);

#endif
