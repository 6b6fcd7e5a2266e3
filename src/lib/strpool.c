/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strpool.h"
#include "hash.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

void strpool_init(struct strpool *pool)
{
	*pool = (struct strpool){.nr = 1, .nr_alloc = 16, .len = 1, .alloc = 64, .mask = 63};
	pool->bytes = xcalloc(pool->alloc, 1);
	pool->entries = xcalloc(pool->nr_alloc, sizeof(*pool->entries));
	pool->slots = xcalloc(pool->mask + 1, sizeof(*pool->slots));
}

void strpool_release(struct strpool *pool)
{
	free(pool->bytes);
	free(pool->entries);
	free(pool->slots);
	*pool = (struct strpool){0};
}

static void rehash(struct strpool *pool)
{
	uint32_t mask = pool->mask * 2 + 1;
	uint32_t *slots = xcalloc((size_t)mask + 1, sizeof(*slots));

	for (uint32_t id = 1; id < pool->nr; id++) {
		uint32_t i = pool->entries[id].hash & mask;

		while (slots[i])
			i = (i + 1) & mask;
		slots[i] = id;
	}
	free(pool->slots);
	pool->slots = slots;
	pool->mask = mask;
}

static uint32_t append(struct strpool *pool, const char *s, size_t len, uint32_t hash)
{
	while (pool->alloc - pool->len <= len) {
		pool->alloc *= 2;
		pool->bytes = xrealloc(pool->bytes, pool->alloc, 1);
	}
	ALLOC_GROW(pool->entries, pool->nr, pool->nr_alloc);
	pool->entries[pool->nr] = (struct strpool_entry){pool->len, (uint32_t)len, hash};
	memcpy(pool->bytes + pool->len, s, len);
	pool->bytes[pool->len + len] = '\0';
	pool->len += len + 1;
	return pool->nr++;
}

uint32_t strpool_add(struct strpool *pool, const char *s, size_t len)
{
	if (!len)
		return 0;
	uint32_t hash = (uint32_t)hash_text(s, len);
	uint32_t i = hash & pool->mask;

	for (; pool->slots[i]; i = (i + 1) & pool->mask) {
		const struct strpool_entry *e = &pool->entries[pool->slots[i]];

		if (e->hash == hash && e->len == len && !memcmp(pool->bytes + e->at, s, len))
			return pool->slots[i];
	}
	uint32_t id = append(pool, s, len, hash);

	pool->slots[i] = id;
	if (pool->nr > pool->mask / 2)
		rehash(pool);
	return id;
}

uint32_t strpool_adds(struct strpool *pool, const char *s)
{
	return strpool_add(pool, s, strlen(s));
}

uint32_t strpool_import(struct strpool *pool, const struct strpool *from, uint32_t id)
{
	return strpool_add(pool, strpool_get(from, id), strpool_len(from, id));
}

const char *strpool_get(const struct strpool *pool, uint32_t id)
{
	return pool->bytes + pool->entries[id].at;
}

size_t strpool_len(const struct strpool *pool, uint32_t id)
{
	return pool->entries[id].len;
}

int strpool_compare(const struct strpool *pool, uint32_t a, uint32_t b)
{
	size_t la = strpool_len(pool, a), lb = strpool_len(pool, b);
	int c = memcmp(strpool_get(pool, a), strpool_get(pool, b), la < lb ? la : lb);

	return c ? c : (la > lb) - (la < lb);
}
