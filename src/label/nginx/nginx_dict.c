/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_dict.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRIES = 5,
	/* What is read at once: more might touch pages that were never used, which the kernel
	 * would allocate. */
	PIECE = NGINX_ZONE_PAGE,
	/* ngx_http_lua_shdict_shctx_t: a tree, its sentinel, and the queue of all nodes, by use */
	TREE_SENTINEL = 8,
	SENTINEL = 0x18,
	QUEUE = 0x40,
	QUEUE_NEXT = 8, /* in each ngx_queue_t, behind the previous one */
	/* ngx_rbtree_node_t, and from its colour on ngx_http_lua_shdict_node_t */
	NODE_KEY_LEN = 34,
	NODE_VALUE_LEN = 36,
	NODE_EXPIRES = 40, /* ms since 1970; 0: never */
	NODE_QUEUE = 48,
	NODE_BYTES = 68, /* then key and value */
};

#define SIZE_BYTES_MAX (1ULL << 36)

/* A copy of the zone, of the pieces of it that were needed. */
struct zone_copy {
	const struct memory *memory;
	const struct nginx_zone *zone;
	char *bytes;
	bool *is_there; /* by piece */
};

static bool fetch(struct zone_copy *c, uint64_t piece)
{
	uint64_t at = piece * PIECE, size = c->zone->size - at;

	if (c->is_there[piece])
		return true;
	if (size > PIECE)
		size = PIECE;
	c->is_there[piece] =
		memory_read(c->memory, c->zone->address + at, c->bytes + at, (size_t)size);
	return c->is_there[piece];
}

/* The SIZE bytes of the zone at ADDRESS; NULL: they are not in it, or cannot be read. */
static const char *at_address(struct zone_copy *c, uint64_t address, uint64_t size)
{
	uint64_t at = address - c->zone->address;

	if (address < c->zone->address || at > c->zone->size || size > c->zone->size - at ||
		!fetch(c, at / PIECE) || !fetch(c, (at + size - 1) / PIECE))
		return NULL;
	return c->bytes + at;
}

static uint64_t word(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Adds the node at ADDRESS; false: it is none. */
static bool add_node(struct zone_copy *c, uint64_t address, uint64_t now_ms, struct nginx_dict *d)
{
	const char *node = at_address(c, address, NODE_BYTES);
	uint32_t value_len;
	uint16_t key_len;

	if (!node)
		return false;
	memcpy(&key_len, node + NODE_KEY_LEN, sizeof(key_len));
	memcpy(&value_len, node + NODE_VALUE_LEN, sizeof(value_len));
	if (value_len > c->zone->size)
		return false;
	d->keys++;
	d->key_bytes += key_len;
	d->value_bytes += value_len;
	d->expired += word(node + NODE_EXPIRES) && word(node + NODE_EXPIRES) <= now_ms;
	return true;
}

/* Follows the queue of all nodes, in both directions at once. */
static bool count(struct zone_copy *c, uint64_t now_ms, struct nginx_dict *d)
{
	uint64_t head = c->zone->data, end = head + QUEUE, before = end, at;
	const char *dict = at_address(c, head, QUEUE + 2 * sizeof(uint64_t)), *queue;

	*d = (struct nginx_dict){0};
	if (!dict || word(dict + TREE_SENTINEL) != head + SENTINEL)
		return false;
	at = word(dict + QUEUE + QUEUE_NEXT);
	for (uint64_t i = 0; at != end; i++) {
		queue = at_address(c, at, 2 * sizeof(uint64_t));
		if (!queue || word(queue) != before || i > c->zone->size / NODE_BYTES ||
			!add_node(c, at - NODE_QUEUE, now_ms, d))
			return false;
		before = at;
		at = word(queue + QUEUE_NEXT);
	}
	return word(dict + QUEUE) == before;
}

bool nginx_dict_read(const struct memory *m, const struct nginx_zone *zone, struct nginx_dict *dict)
{
	if (zone->size > SIZE_BYTES_MAX)
		return false;
	size_t nr = (size_t)(zone->size / PIECE + 1);
	/* the target has set the size, which may be more than there is memory */
	struct zone_copy c = {m, zone, calloc(zone->size, 1), calloc(nr, sizeof(*c.is_there))};
	bool done = false;

	for (int i = 0; i < TRIES && c.bytes && c.is_there && !done; i++) {
		memset(c.is_there, 0, nr * sizeof(*c.is_there));
		done = count(&c, (uint64_t)realtime_ms(), dict);
	}
	free(c.bytes);
	free(c.is_there);
	return done;
}
