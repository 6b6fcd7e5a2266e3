/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_streams.h"
#include "lib/util.h"

#include <stdlib.h>

/*
 * Offsets that are equal in all versions from 1.14 on (ngx_http_v2.h), and the size of the table
 * unless http2_streams_index_size sets another one. The struct ngx_http_v2_connection_s, which all
 * streams of a connection share, is called "shared" here.
 */
enum {
	SHARED_BYTES = 0x280, /* more than its size */
	SHARED_CONNECTION = 0,
	TABLE_MIN = 0x40, /* lowest offset of the table in it */
	TABLE_SIZE = 32,  /* number of lists of nodes */
	NODE_ID = 0,
	NODE_INDEX = 8, /* the next node in the list */
	NODE_STREAM = 0x60,
	/* Words of struct ngx_http_v2_stream_s. */
	STREAM_REQUEST = 0,
	STREAM_SHARED = 1,
	STREAM_NODE = 2,
	STREAM_WORDS = 3,
	NODES_MAX = 1 << 12, /* of a connection */
	SEARCHED_MAX = 64,
	REQUESTS_MAX = 1 << 16,
};

static void add(struct nginx_streams *s, uint64_t request)
{
	if (s->nr >= REQUESTS_MAX)
		return;
	ALLOC_GROW(s->requests, s->nr, s->alloc);
	s->requests[s->nr++] = request;
}

/*
 * Adds the requests of the stream of NODE, if it has one. Returns false if it is not a node of
 * SHARED.
 */
static bool read_node(struct nginx_streams *s, const struct nginx_layout *l, const struct memory *m,
	uint64_t shared, uint64_t node)
{
	uint64_t stream, word[STREAM_WORDS], request, connection, active;

	if (!memory_pointer(m, node + NODE_STREAM, &stream))
		return false;
	if (!stream)
		return true; /* the node is kept for priorities */
	if (!memory_read(m, stream, word, sizeof(word)) || word[STREAM_SHARED] != shared ||
		word[STREAM_NODE] != node)
		return false;
	request = word[STREAM_REQUEST];
	if (!nginx_request_is_at(l, m, request))
		return true; /* the request is ending */
	add(s, request);
	if (memory_pointer(m, request + NGINX_REQUEST_CONNECTION, &connection) &&
		memory_pointer(m, connection + NGINX_CONNECTION_DATA, &active) && active != request)
		add(s, active);
	return true;
}

/*
 * Returns whether NODE belongs in list number INDEX. It does not if the assumed table only overlaps
 * the real one.
 */
static bool is_in_list(const struct memory *m, uint64_t node, size_t index)
{
	uint64_t id;

	return !(node & 7) && memory_pointer(m, node + NODE_ID, &id) &&
	       (id >> 1) % TABLE_SIZE == index;
}

/* Adds the requests in list INDEX, from NODE up to the first node that cannot be in the list. */
static void read_list(struct nginx_streams *s, const struct nginx_layout *l, const struct memory *m,
	uint64_t shared, uint64_t node, size_t index)
{
	uint64_t passed = 0; /* a node that was passed; a circle comes back to it */
	uint64_t next;

	for (size_t n = 1; node && node != passed && s->nodes < NODES_MAX; n++, s->nodes++) {
		if (!is_in_list(m, node, index) || !read_node(s, l, m, shared, node) ||
			!memory_pointer(m, node + NODE_INDEX, &next))
			return;
		if (!(n & (n - 1)))
			passed = node;
		node = next;
	}
}

/* Adds the requests in the table at TABLE; returns true if there are any. */
static bool read_table(struct nginx_streams *s, const struct nginx_layout *l,
	const struct memory *m, uint64_t shared, uint64_t table)
{
	uint64_t list[TABLE_SIZE];
	size_t nr = s->nr;

	if ((table & 7) || !memory_read(m, table, list, sizeof(list)))
		return false;
	s->nodes = 0;
	for (size_t i = 0; i < TABLE_SIZE; i++)
		read_list(s, l, m, shared, list[i], i);
	return s->nr > nr;
}

/* Finds the table by the streams in it. */
static void search(struct nginx_streams *s, const struct nginx_layout *l, const struct memory *m,
	uint64_t shared)
{
	uint64_t word[SHARED_BYTES / 8];

	if (s->searched >= SEARCHED_MAX || !memory_read(m, shared, word, sizeof(word)))
		return;
	for (size_t i = TABLE_MIN / 8; i < ARRAY_LEN(word); i++)
		if (word[i] && read_table(s, l, m, shared, word[i])) {
			s->table = (uint16_t)(8 * i);
			return;
		}
	s->searched++;
}

void nginx_streams_read(struct nginx_streams *s, const struct nginx_layout *l,
	const struct memory *m, const struct nginx_connection *c)
{
	uint64_t connection, table;

	if (c->request || !c->listening || (c->data & 7) ||
		!memory_pointer(m, c->data + SHARED_CONNECTION, &connection) ||
		connection != c->address)
		return;
	if (!s->table)
		search(s, l, m, c->data);
	else if (memory_pointer(m, c->data + s->table, &table))
		read_table(s, l, m, c->data, table);
}

void nginx_streams_release(struct nginx_streams *s)
{
	free(s->requests);
	*s = (struct nginx_streams){0};
}
