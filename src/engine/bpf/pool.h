/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory shared with the BPF programs, which only read it: blocks of UNWIND_BLOCK bytes, numbered
 * from 1, in maps that are created on demand.
 */
#ifndef ENGINE_BPF_POOL_H
#define ENGINE_BPF_POOL_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct pool {
	int maps;              /* fd of the array of maps, owned by the caller */
	unsigned char *memory; /* of all maps, one behind another, as far as they exist */
	int *fds;              /* of the maps */
	uint32_t nr_shards, max_shards;
	uint32_t next; /* the first block that was never allocated */
	struct pool_free {
		uint32_t block, nr;
		int64_t since_ns;
	} * freed; /* blocks that a program may still be reading */
	size_t nr_freed, freed_alloc;
};

/*
 * Initialises a pool of at most MAX_BYTES, which is rounded down to whole maps, but at least one.
 */
void pool_init(struct pool *pool, int maps_fd, uint64_t max_bytes);
void pool_release(struct pool *pool);

/*
 * Allocates NR consecutive, zeroed blocks. Returns the first, or 0 if the pool is full or the
 * kernel has no memory.
 */
uint32_t pool_get(struct pool *pool, uint32_t nr);
/*
 * Frees NR blocks from BLOCK on, which may be 0. They are reused when no program can be reading
 * them any more.
 */
void pool_put(struct pool *pool, uint32_t block, uint32_t nr);
/* Returns the memory of BLOCK, and of those allocated with it behind it, until it is freed. */
void *pool_block(const struct pool *pool, uint32_t block);
/* Copies whole blocks into the pool. */
void pool_write(struct pool *pool, uint32_t block, const void *from, uint32_t nr);

/* Returns the memory in use, in bytes. */
uint64_t pool_bytes(const struct pool *pool);

#endif
