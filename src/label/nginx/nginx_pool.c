/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_pool.h"
#include "lib/util.h"

#include <string.h>

/* The members of struct ngx_pool_s, as indexes of words. */
enum {
	LAST = 0,
	END = 1,
	NEXT = 2, /* next block */
	LARGE = 7,
	POOL_WORDS = 10,
	BLOCKS_MAX = 1 << 16,
	LARGE_MAX = 1 << 16,
	BLOCK_BYTES_MAX = 1 << 28,
};

/* The word in front of an allocation of malloc (malloc.c of glibc). */
enum {
	CHUNK_FLAGS = 7,
	CHUNK_MAPPED = 2,
	CHUNK_MIN = 32,
	CHUNK_ALIGN = 16,
};
#define CHUNK_MAX (1ULL << 40)

/* Returns the bytes of the allocation at ADDRESS, or 0 if they are not known. */
static uint64_t allocated(const struct memory *m, uint64_t address)
{
	uint64_t word, size;

	if ((address & 15) || !memory_pointer(m, address - 8, &word))
		return 0;
	size = word & ~(uint64_t)CHUNK_FLAGS;
	if (size < CHUNK_MIN || size % CHUNK_ALIGN || size > CHUNK_MAX)
		return 0;
	return size - (word & CHUNK_MAPPED ? 16 : 8);
}

/*
 * Adds the block AT and sets *NEXT_BLOCK, to 0 if it is the last block. Returns false if it is not
 * a block.
 */
static bool add_block(
	const struct memory *m, uint64_t at, struct nginx_pool *p, uint64_t *next_block)
{
	uint64_t word[NEXT + 1];

	if ((at & 7) || !memory_read(m, at, word, sizeof(word)) || word[LAST] < at ||
		word[LAST] > word[END] || word[END] - at > BLOCK_BYTES_MAX)
		return false;
	p->nr_blocks++;
	p->block_bytes += word[END] - at;
	p->used += word[LAST] - at;
	p->unused += word[END] - word[LAST];
	*next_block = word[NEXT];
	return true;
}

static bool add_large(const struct memory *m, uint64_t at, bool uses_glibc, struct nginx_pool *p)
{
	uint64_t word[2], size; /* next entry, address of the allocation */

	for (size_t i = 0; at; i++, at = word[0]) {
		if (i == LARGE_MAX || (at & 7) || !memory_read(m, at, word, sizeof(word)))
			return false;
		if (!word[1])
			continue; /* freed */
		size = uses_glibc ? allocated(m, word[1]) : 0;
		p->nr_large++;
		p->large_bytes += size;
		p->nr_unknown += !size;
	}
	return true;
}

void nginx_pool_read(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool)
{
	uint64_t word[POOL_WORDS], at = address;

	*pool = (struct nginx_pool){0};
	if (!address || (address & 7) || !memory_read(m, address, word, sizeof(word)))
		return;
	while (at && pool->nr_blocks < BLOCKS_MAX)
		if (!add_block(m, at, pool, &at))
			return;
	pool->is_whole = !at && add_large(m, word[LARGE], uses_glibc, pool);
}

bool nginx_pool_uses_glibc(const struct target *t)
{
	static const char *const others[] = {"jemalloc", "tcmalloc", "mimalloc", "/ld-musl"};
	bool has_glibc = false;

	for (size_t i = 0; i < t->nr_files; i++) {
		has_glibc |= !!strstr(t->files[i].path, "/libc.so.6");
		for (size_t k = 0; k < ARRAY_LEN(others); k++)
			if (strstr(t->files[i].path, others[k]))
				return false;
	}
	return has_glibc;
}

bool nginx_pool_is_same(const struct nginx_pool *a, const struct nginx_pool *b)
{
	return a->is_whole && b->is_whole && !memcmp(a, b, offsetof(struct nginx_pool, is_whole));
}

bool nginx_pool_read_same(
	const struct memory *m, uint64_t address, bool uses_glibc, struct nginx_pool *pool)
{
	enum { TRIES = 3 };
	struct nginx_pool before;
	bool is_same = false;

	for (int i = 0; i < TRIES && !is_same; i++) {
		nginx_pool_read(m, address, uses_glibc, &before);
		nginx_pool_read(m, address, uses_glibc, pool);
		is_same = nginx_pool_is_same(&before, pool);
	}
	return is_same;
}

void nginx_pool_add(struct nginx_pool *sum, const struct nginx_pool *from)
{
	sum->nr_blocks += from->nr_blocks;
	sum->block_bytes += from->block_bytes;
	sum->used += from->used;
	sum->unused += from->unused;
	sum->nr_large += from->nr_large;
	sum->large_bytes += from->large_bytes;
	sum->nr_unknown += from->nr_unknown;
	sum->is_whole &= from->is_whole;
}
