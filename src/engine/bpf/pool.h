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
	int maps; /* fd of the array of maps, owned by the caller */
	struct pool_shard {
		int fd;
		unsigned char *memory;
	} * shards;
	uint32_t nr_shards, max_shards;
	uint32_t next; /* the first block that was never allocated */
	struct pool_free {
		uint32_t block, nr;
		int64_t since_ns;
	} * freed; /* a program may still read them */
	size_t nr_freed, freed_alloc;
};

/* MAX_BYTES: limit of the pool, rounded down to whole maps, at least one. */
void pool_init(struct pool *pool, int maps_fd, uint64_t max_bytes);
void pool_release(struct pool *pool);

/* Allocates NR consecutive blocks, zeroed; 0: the pool is full, or the kernel has no memory. */
uint32_t pool_get(struct pool *pool, uint32_t nr);
/* Frees blocks (0: none); they are reused when no program can be reading them any more. */
void pool_put(struct pool *pool, uint32_t block, uint32_t nr);
/* Its memory, valid until it is freed. */
void *pool_block(const struct pool *pool, uint32_t block);
/* Copies whole blocks into the pool. */
void pool_write(struct pool *pool, uint32_t block, const void *from, uint32_t nr);

/* Memory in use, in bytes. */
uint64_t pool_bytes(const struct pool *pool);

#endif
