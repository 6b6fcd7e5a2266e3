/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How large a pool of nginx's is (ngx_palloc.h). */
#ifndef LABEL_NGINX_NGINX_POOL_H
#define LABEL_NGINX_NGINX_POOL_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nginx_pool {
	uint64_t nr_blocks, block_bytes; /* with the heads of blocks */
	uint64_t used, unused;           /* bytes of the blocks: given away with the heads, not */
	uint64_t nr_large, large_bytes;  /* allocations of their own */
	uint64_t nr_unknown;             /* of these, whose sizes are not known: 0 bytes */
	bool is_whole;                   /* all of it could be read */
};

/*
 * Reads the pool at ADDRESS. Sizes of large allocations are those that glibc's malloc keeps with
 * each; USES_GLIBC false: the process has another malloc, and they are not known.
 */
void nginx_pool_read(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool);

/* Reads it until two reads are the same; false: it keeps changing, POOL is the last read. */
bool nginx_pool_read_same(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool);

/* True if T has glibc's malloc, and no file that replaces it. */
bool nginx_pool_uses_glibc(const struct target *t);

/* True if both are whole, and of the same size in all respects. */
bool nginx_pool_is_same(const struct nginx_pool *a, const struct nginx_pool *b);

/* Adds what FROM has to SUM. */
void nginx_pool_add(struct nginx_pool *sum, const struct nginx_pool *from);

/* All bytes of it. */
static inline uint64_t nginx_pool_bytes(const struct nginx_pool *pool)
{
	return pool->block_bytes + pool->large_bytes;
}

#endif
