/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the size of a pool of nginx (ngx_palloc.h). */
#ifndef LABEL_NGINX_NGINX_POOL_H
#define LABEL_NGINX_NGINX_POOL_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nginx_pool {
	uint64_t nr_blocks, block_bytes; /* including the heads of blocks */
	uint64_t used, unused;           /* bytes of the blocks; the heads count as used */
	uint64_t nr_large, large_bytes;  /* large allocations, which are not in blocks */
	uint64_t nr_unknown;             /* large allocations of unknown size, counted as 0 bytes */
	bool is_whole;                   /* the whole pool could be read */
};

/*
 * Reads the pool at ADDRESS. The sizes of large allocations come from glibc's malloc, which keeps
 * them with each allocation. If USES_GLIBC is false, the process has another malloc and they are
 * not known.
 */
void nginx_pool_read(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool);

/*
 * Reads the pool until two reads are the same. Returns false if it keeps changing; then POOL is the
 * last read.
 */
bool nginx_pool_read_same(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool);

/* Returns whether T has glibc's malloc and no library that replaces it. */
bool nginx_pool_uses_glibc(const struct target *t);

/* Returns whether both are whole and equal in all sizes and numbers. */
bool nginx_pool_is_same(const struct nginx_pool *a, const struct nginx_pool *b);

/* Adds the numbers of FROM to SUM. */
void nginx_pool_add(struct nginx_pool *sum, const struct nginx_pool *from);

/* Returns the bytes of all blocks and large allocations. */
static inline uint64_t nginx_pool_bytes(const struct nginx_pool *pool)
{
	return pool->block_bytes + pool->large_bytes;
}

#endif
