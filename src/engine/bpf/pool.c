/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pool.h"
#include "engine/bpf/kern/shared.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	SHARD_BYTES = SHARD * UNWIND_BLOCK,
	GRACE_NS = 100000000 /* wait before blocks are reused; a program runs for microseconds */
};

/* Returns addresses without memory, at AT unless it is NULL, or MAP_FAILED. */
static void *reserve(void *at, size_t size)
{
	return mmap(at, size, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

void pool_init(struct pool *pool, int maps_fd, uint64_t max_bytes)
{
	uint64_t max = max_bytes / SHARD_BYTES;

	*pool = (struct pool){.maps = maps_fd, .next = 1};
	pool->max_shards = max < 1 ? 1 : max > SHARDS_MAX ? SHARDS_MAX : (uint32_t)max;
	pool->memory = reserve(NULL, (size_t)pool->max_shards * SHARD_BYTES);
	if (pool->memory == MAP_FAILED)
		*pool = (struct pool){.maps = maps_fd, .next = 1};
}

void pool_release(struct pool *pool)
{
	for (uint32_t i = 0; i < pool->nr_shards; i++)
		close(pool->fds[i]);
	if (pool->memory)
		munmap(pool->memory, (size_t)pool->max_shards * SHARD_BYTES);
	free(pool->fds);
	free(pool->freed);
	*pool = (struct pool){0};
}

static int add_shard(struct pool *pool)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	uint32_t at = pool->nr_shards;
	unsigned char *memory = pool->memory + (size_t)at * SHARD_BYTES;

	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "shard", 4, UNWIND_BLOCK, SHARD, &opts);

	if (fd < 0)
		return -1;
	if (mmap(memory, SHARD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
			MAP_FAILED ||
		bpf_map_update_elem(pool->maps, &at, &fd, BPF_ANY)) {
		reserve(memory, SHARD_BYTES);
		close(fd);
		return -1;
	}
	madvise(memory, SHARD_BYTES, MADV_DONTFORK); /* a fork would copy all its page tables */
	pool->fds = xrealloc(pool->fds, at + 1, sizeof(*pool->fds));
	pool->fds[at] = fd;
	pool->nr_shards++;
	return 0;
}

/*
 * Returns the smallest freed run of at least NR blocks that can be reused, or nr_freed if there is
 * none.
 */
static size_t find_freed(const struct pool *pool, uint32_t nr)
{
	int64_t now = monotonic_ns();
	size_t best = pool->nr_freed;

	for (size_t i = 0; i < pool->nr_freed; i++) {
		const struct pool_free *f = &pool->freed[i];

		if (f->nr < nr || now - f->since_ns < GRACE_NS)
			continue;
		if (best == pool->nr_freed || f->nr < pool->freed[best].nr)
			best = i;
		if (f->nr == nr)
			break;
	}
	return best;
}

static int compare_blocks(const void *va, const void *vb)
{
	const struct pool_free *a = va, *b = vb;

	return (a->block > b->block) - (a->block < b->block);
}

/* Joins adjacent freed runs. The younger run determines when they can be reused. */
static void join_freed(struct pool *pool)
{
	size_t kept = 0;

	if (pool->nr_freed)
		qsort(pool->freed, pool->nr_freed, sizeof(*pool->freed), compare_blocks);
	for (size_t i = 0; i < pool->nr_freed; i++) {
		struct pool_free f = pool->freed[i], *last = kept ? &pool->freed[kept - 1] : NULL;

		if (!last || last->block + last->nr != f.block) {
			pool->freed[kept++] = f;
			continue;
		}
		last->nr += f.nr;
		if (f.since_ns > last->since_ns)
			last->since_ns = f.since_ns;
	}
	pool->nr_freed = kept;
}

/* Reuses a part of a freed run. Returns 0 if there is none. */
static uint32_t get_freed(struct pool *pool, uint32_t nr)
{
	size_t i = find_freed(pool, nr);

	if (i == pool->nr_freed)
		return 0;
	struct pool_free *f = &pool->freed[i];
	uint32_t block = f->block;

	f->block += nr;
	f->nr -= nr;
	if (!f->nr)
		*f = pool->freed[--pool->nr_freed];
	memset(pool_block(pool, block), 0, (size_t)nr * UNWIND_BLOCK);
	return block;
}

uint32_t pool_get(struct pool *pool, uint32_t nr)
{
	uint32_t block = get_freed(pool, nr);

	if (!block) {
		join_freed(pool);
		block = get_freed(pool, nr);
	}
	if (block)
		return block;
	if ((uint64_t)pool->next + nr > (uint64_t)pool->max_shards * SHARD)
		return 0;
	while ((uint64_t)pool->next + nr > (uint64_t)pool->nr_shards * SHARD)
		if (add_shard(pool))
			return 0;
	block = pool->next;
	pool->next += nr;
	return block;
}

void pool_put(struct pool *pool, uint32_t block, uint32_t nr)
{
	if (!block)
		return;
	ALLOC_GROW(pool->freed, pool->nr_freed, pool->freed_alloc);
	pool->freed[pool->nr_freed++] = (struct pool_free){block, nr, monotonic_ns()};
}

void *pool_block(const struct pool *pool, uint32_t block)
{
	return pool->memory + (size_t)block * UNWIND_BLOCK;
}

void pool_write(struct pool *pool, uint32_t block, const void *from, uint32_t nr)
{
	memcpy(pool_block(pool, block), from, (size_t)nr * UNWIND_BLOCK);
}

uint64_t pool_bytes(const struct pool *pool)
{
	return (uint64_t)pool->nr_shards * SHARD_BYTES;
}
