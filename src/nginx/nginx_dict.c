/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_dict.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRIES = 5,
	/* Bytes of one read. More might touch unused pages, which the kernel would allocate. */
	PIECE = NGINX_ZONE_PAGE,
	/* ngx_http_lua_shdict_shctx_t: a tree, its sentinel, and a queue of all nodes by use */
	TREE_SENTINEL = 8,
	SENTINEL = 0x18,
	QUEUE = 0x40,
	QUEUE_NEXT = 8, /* offset in ngx_queue_t, behind the pointer to the previous one */
	/* ngx_rbtree_node_t, and from its colour on ngx_http_lua_shdict_node_t */
	NODE_KEY_LEN = 34,
	NODE_VALUE_LEN = 36,
	NODE_EXPIRES = 40, /* ms since 1970, or 0 if it does not expire */
	NODE_QUEUE = 48,
	NODE_BYTES = 68, /* key and value follow */
};

/* A copy of the pieces of a zone that were needed. */
struct zone_copy {
	const struct memory *memory;
	const struct nginx_zone *zone;
	struct table index; /* number of a piece -> index of its bytes, or MISSING */
	char (*bytes)[PIECE];
	size_t nr, alloc;
};

enum { MISSING = UINT32_MAX };

/* Returns a piece of the zone, valid until the next call, or NULL if it cannot be read. */
static const char *fetch(struct zone_copy *c, uint64_t piece)
{
	uint64_t at = piece * PIECE, size = c->zone->size - at;
	bool is_new;
	uint32_t *index = table_put(&c->index, piece, 0, &is_new);

	if (is_new) {
		ALLOC_GROW(c->bytes, c->nr, c->alloc);
		*index = memory_read(c->memory, c->zone->address + at, c->bytes[c->nr],
				 size < PIECE ? (size_t)size : PIECE)
				 ? (uint32_t)c->nr++
				 : MISSING;
	}
	return *index == MISSING ? NULL : c->bytes[*index];
}

/* Copies SIZE bytes at ADDRESS; returns false if they are outside the zone or cannot be read. */
static bool copy(struct zone_copy *c, uint64_t address, void *to, size_t size)
{
	uint64_t at = address - c->zone->address;

	if (address < c->zone->address || at > c->zone->size || size > c->zone->size - at)
		return false;
	for (size_t done = 0, nr; done < size; done += nr) {
		size_t in_piece = (size_t)((at + done) % PIECE);
		const char *bytes = fetch(c, (at + done) / PIECE);

		if (!bytes)
			return false;
		nr = size - done < PIECE - in_piece ? size - done : PIECE - in_piece;
		memcpy((char *)to + done, bytes + in_piece, nr);
	}
	return true;
}

static void forget(struct zone_copy *c)
{
	table_release(&c->index);
	table_init(&c->index);
	c->nr = 0;
}

static uint64_t word(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Adds the node at ADDRESS; returns false if it is not a node. */
static bool add_node(struct zone_copy *c, uint64_t address, uint64_t now_ms, struct nginx_dict *d)
{
	char node[NODE_BYTES];
	uint32_t value_len;
	uint16_t key_len;

	if (!copy(c, address, node, sizeof(node)))
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

/* Follows the queue of all nodes and checks each link back, so that it cannot go in a circle. */
static bool count(struct zone_copy *c, uint64_t now_ms, struct nginx_dict *d)
{
	uint64_t head = c->zone->data, end = head + QUEUE, before = end, at;
	char dict[QUEUE + 2 * sizeof(uint64_t)], queue[2 * sizeof(uint64_t)];

	*d = (struct nginx_dict){0};
	if (!copy(c, head, dict, sizeof(dict)) || word(dict + TREE_SENTINEL) != head + SENTINEL)
		return false;
	at = word(dict + QUEUE + QUEUE_NEXT);
	while (at != end) {
		if (!copy(c, at, queue, sizeof(queue)) || word(queue) != before ||
			!add_node(c, at - NODE_QUEUE, now_ms, d))
			return false;
		before = at;
		at = word(queue + QUEUE_NEXT);
	}
	return word(dict + QUEUE) == before;
}

bool nginx_dict_read(const struct memory *m, const struct nginx_zone *zone, struct nginx_dict *dict)
{
	struct zone_copy c = {.memory = m, .zone = zone};
	bool done = false;

	table_init(&c.index);
	for (int i = 0; i < TRIES && !done; i++) {
		forget(&c);
		done = count(&c, (uint64_t)realtime_ms(), dict);
	}
	table_release(&c.index);
	free(c.bytes);
	return done;
}
