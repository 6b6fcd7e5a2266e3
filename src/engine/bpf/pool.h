/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the BPF programs read and we write: blocks of UNWIND_BLOCK bytes, numbered from 1,
 * in maps that are made as they are needed.
 */
#ifndef ENGINE_BPF_POOL_H
#define ENGINE_BPF_POOL_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct pool {
	int maps; /* fd of the array of maps; the caller's */
	struct pool_shard {
		int fd;
		unsigned char *memory;
	} * shards;
	uint32_t nr_shards, max_shards;
	uint32_t next; /* the first block that was never given away */
	struct pool_free {
		uint32_t block, nr;
		int64_t since_ns;
	} * freed; /* blocks that a program may still look at */
	size_t nr_freed, freed_alloc;
};

/* MAX_BYTES: what the pool may grow to. */
void pool_init(struct pool *pool, int maps_fd, uint64_t max_bytes);
void pool_release(struct pool *pool);

/* NR blocks in a row, all zero; 0: the pool is full, or the kernel gives no more. */
uint32_t pool_get(struct pool *pool, uint32_t nr);
/* They are given away again when no program can be in them any more. */
void pool_put(struct pool *pool, uint32_t block, uint32_t nr);
void *pool_block(const struct pool *pool, uint32_t block);
/* Copies whole blocks into the pool. */
void pool_write(struct pool *pool, uint32_t block, const void *from, uint32_t nr);

uint64_t pool_bytes(const struct pool *pool);

#endif
