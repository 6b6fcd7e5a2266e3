/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_read.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

static int read_memory(void *from, void *to, uint32_t size, uint64_t address)
{
	return !memory_read(from, address, to, size);
}

#define NGINX_READ read_memory
#include "label/nginx/nginx_step.h"

/* Returns the memory as the argument FROM of the functions in nginx_step.h. */
static void *from(const struct memory *memory)
{
	return (void *)(uintptr_t)memory;
}

bool nginx_request_is_at(const struct nginx_layout *l, const struct memory *m, uint64_t request)
{
	return nginx_is_request(from(m), l, request);
}

uint64_t nginx_request_of_word(const struct nginx_layout *l, const struct memory *m, uint64_t word)
{
	return nginx_request_of(from(m), l, word);
}

static uint64_t word_at(const struct memory *m, uint64_t address)
{
	uint64_t word;

	return memory_pointer(m, address, &word) ? word : 0;
}

static void read_texts(const struct nginx_layout *l, const struct memory *m,
	const struct nginx_identity *id, struct nginx_texts *t)
{
	for (uint32_t kind = 0; kind < NGINX_TEXTS; kind++)
		nginx_read_text(from(m), l, id->request, kind, &t->text[kind]);
	t->content_handler = id->content_handler;
	t->connection = id->number;
	t->phase = (uint32_t)id->phase;
	t->status = (uint32_t)id->status;
}

bool nginx_request_read(const struct nginx_layout *l, const struct memory *m, uint64_t address,
	struct nginx_request *r)
{
	struct nginx_identity id, again;

	*r = (struct nginx_request){.address = address};
	if (!nginx_is_request(from(m), l, address) || !nginx_identify(from(m), l, address, &id))
		return false;
	r->connection = id.connection;
	r->start_ms = (int64_t)(id.start[0] * 1000 + id.start[1]);
	r->main = word_at(m, address + l->at.main);
	r->parent = word_at(m, address + l->at.parent);
	r->pool = word_at(m, address + l->at.pool);
	r->sent = (int64_t)word_at(m, id.connection + NGINX_CONNECTION_SENT);
	read_texts(l, m, &id, &r->texts);
	r->texts.subrequest = r->main != address;
	r->consistent = nginx_is_request(from(m), l, address) &&
			nginx_identify(from(m), l, address, &again) &&
			!memcmp(&id, &again, sizeof(id));
	return true;
}

/* ---- connections ---- */

enum { AT_ONCE = 1 << 10, HEAD_BYTES = NGINX_CONNECTION_SENT + 8, CONNECTION_MAX = 0x180 };

/* Reads the event at ADDRESS. */
static struct nginx_event read_event(const struct memory *m, uint64_t address)
{
	uint64_t word[NGINX_EVENT_TIMER / 8 + 1];

	if (!memory_read(m, address, word, sizeof(word)))
		return (struct nginx_event){0};
	return (struct nginx_event){
		.handler = word[NGINX_EVENT_HANDLER / 8],
		.timer_ms = word[NGINX_EVENT_FLAGS / 8] & NGINX_EVENT_TIMER_SET
				    ? word[NGINX_EVENT_TIMER / 8]
				    : 0,
		.accepts = word[NGINX_EVENT_FLAGS / 8] & NGINX_EVENT_ACCEPT,
	};
}

/* Fills C from the BYTES of the connection; returns false if it is closed. */
static bool take_connection(const struct nginx_layout *l, const struct memory *m, const char *bytes,
	struct nginx_connection *c)
{
	uint64_t head[HEAD_BYTES / 8];

	memcpy(head, bytes, sizeof(head));
	c->fd = (int32_t)head[NGINX_CONNECTION_FD / 8];
	/* descriptor 0 is /dev/null, so only a connection that was never used has it */
	if (c->fd <= 0)
		return false;
	c->data = head[NGINX_CONNECTION_DATA / 8];
	c->listening = head[NGINX_CONNECTION_LISTENING / 8];
	c->sent = (int64_t)head[NGINX_CONNECTION_SENT / 8];
	c->request = nginx_is_request(from(m), l, c->data) ? c->data : 0;
	if (l->at.number)
		memcpy(&c->number, bytes + l->at.number, sizeof(c->number));
	c->read = read_event(m, head[NGINX_CONNECTION_READ / 8]);
	c->write = read_event(m, head[NGINX_CONNECTION_WRITE / 8]);
	return true;
}

bool nginx_connection_read(const struct nginx_layout *l, const struct memory *m, uint64_t address,
	struct nginx_connection *c)
{
	char bytes[CONNECTION_MAX];

	*c = (struct nginx_connection){.address = address};
	return l->connection_size <= sizeof(bytes) &&
	       memory_read(m, address, bytes, l->connection_size) &&
	       take_connection(l, m, bytes, c);
}

struct nginx_connection *nginx_connections_read(
	const struct nginx_layout *l, const struct memory *m, size_t *nr)
{
	size_t size = l->connection_size, alloc = 0;
	char *block = xcalloc(AT_ONCE, size + 1); /* as reading each connection alone takes long */
	struct nginx_connection *list = NULL;

	*nr = 0;
	for (uint32_t i = 0; i < l->nr_connections; i += AT_ONCE) {
		uint32_t n = l->nr_connections - i < AT_ONCE ? l->nr_connections - i : AT_ONCE;
		uint64_t at = l->connections + (uint64_t)i * size;

		if (!memory_read(m, at, block, n * size))
			break;
		for (uint32_t k = 0; k < n; k++) {
			struct nginx_connection c = {.address = at + k * size, .index = i + k};

			if (!take_connection(l, m, block + k * size, &c))
				continue;
			ALLOC_GROW(list, *nr, alloc);
			list[(*nr)++] = c;
		}
	}
	free(block);
	return list;
}

uint64_t *nginx_requests_list(
	const struct nginx_connection *list, size_t nr_connections, size_t *nr)
{
	uint64_t *requests = xcalloc(nr_connections + 1, sizeof(*requests));
	struct table seen;

	*nr = 0;
	table_init(&seen);
	for (size_t i = 0; i < nr_connections; i++) {
		bool is_new = false;

		if (list[i].request)
			table_put(&seen, list[i].request, 0, &is_new);
		if (is_new)
			requests[(*nr)++] = list[i].request;
	}
	table_release(&seen);
	return requests;
}
