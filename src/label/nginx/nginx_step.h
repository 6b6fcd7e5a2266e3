/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks whether a word leads to a request of nginx, and reads the request. The same code runs in
 * the kernel (BPF) and in user space. Every read may fail. The includer defines
 *
 *	int NGINX_READ(void *from, void *to, uint32_t size, uint64_t address)
 *
 * which reads the target's memory and returns 0 if all of it could be read.
 */
#ifndef LABEL_NGINX_NGINX_STEP_H
#define LABEL_NGINX_NGINX_STEP_H

#include "nginx_layout.h"

enum { NGINX_USER_MIN = 1 << 16 }; /* user space has no data below this, or from 1 << 47 on */

static inline bool nginx_may_point(uint64_t word)
{
	return word >= NGINX_USER_MIN && word < 1ULL << 47 && !(word & 7);
}

static inline int nginx_word(void *from, uint64_t *to, uint64_t address)
{
	return NGINX_READ(from, to, sizeof(*to), address);
}

/* Returns whether REQUEST begins as a request that is not freed does; gives its connection. */
static inline bool nginx_is_used(
	void *from, const struct nginx_layout *l, uint64_t request, uint64_t *connection)
{
	uint64_t head[2], pool;

	if (!nginx_may_point(request) || NGINX_READ(from, head, sizeof(head), request) ||
		(uint32_t)head[0] != NGINX_SIGNATURE || !nginx_may_point(head[1]) ||
		nginx_word(from, &pool, request + l->at.pool) || !pool)
		return false;
	*connection = head[1];
	return true;
}

/*
 * Returns whether a request is at REQUEST that is neither freed nor a remnant: its main request is
 * not freed either and has the same connection, which is open.
 */
static inline bool nginx_is_request(void *from, const struct nginx_layout *l, uint64_t request)
{
	uint64_t main, connection, of_main;
	int32_t fd;

	if (!nginx_is_used(from, l, request, &connection) ||
		nginx_word(from, &main, request + l->at.main))
		return false;
	if (main != request && (!nginx_is_used(from, l, main, &of_main) || of_main != connection))
		return false;
	return !NGINX_READ(from, &fd, sizeof(fd), connection + NGINX_CONNECTION_FD) && fd >= 0;
}

/* Returns whether ADDRESS is the address of one of NR elements of SIZE bytes from FIRST on. */
static inline bool nginx_is_element(uint64_t address, uint64_t first, uint64_t nr, uint64_t size)
{
	uint64_t at = address - first;

	return first && size && address >= first && at < nr * size && at % size == 0;
}

/* Returns the connection if WORD points to it or to one of its events, else 0. */
static inline uint64_t nginx_connection_of(void *from, const struct nginx_layout *l, uint64_t word)
{
	uint64_t c = word;

	if (nginx_is_element(word, l->read_events, l->nr_connections, l->event_size) ||
		nginx_is_element(word, l->write_events, l->nr_connections, l->event_size)) {
		if (nginx_word(from, &c, word + NGINX_EVENT_DATA))
			return 0;
	}
	return nginx_is_element(c, l->connections, l->nr_connections, l->connection_size) ? c : 0;
}

/*
 * Returns the request that WORD points to. If WORD points to a connection or to an event, returns
 * the request that is the data of the connection. Returns 0 if there is none.
 */
static inline uint64_t nginx_request_of(void *from, const struct nginx_layout *l, uint64_t word)
{
	uint64_t c, request;

	if (!nginx_may_point(word))
		return 0;
	c = nginx_connection_of(from, l, word);
	if (!c)
		return nginx_is_request(from, l, word) ? word : 0;
	if (nginx_word(from, &request, c + NGINX_CONNECTION_DATA) ||
		!nginx_is_request(from, l, request))
		return 0;
	return request;
}

/* Reads the identity of REQUEST; returns false if it cannot be read. */
static inline bool nginx_identify(
	void *from, const struct nginx_layout *l, uint64_t request, struct nginx_identity *id)
{
	uint64_t upstream, write, pair[2];

	id->request = request;
	id->peer = 0;
	if (nginx_word(from, &write, request + NGINX_REQUEST_WRITE) ||
		nginx_word(from, &id->connection, request + NGINX_REQUEST_CONNECTION) ||
		nginx_word(from, &id->loc_conf, request + NGINX_REQUEST_LOC_CONF) ||
		nginx_word(from, &id->host, request + l->at.server + NGINX_STRING_DATA) ||
		nginx_word(from, &id->status, request + l->at.status) ||
		nginx_word(from, &upstream, request + l->at.upstream) ||
		NGINX_READ(from, id->start, sizeof(id->start), request + l->at.start) ||
		NGINX_READ(from, id->uri_and_args, sizeof(id->uri_and_args), request + l->at.uri) ||
		NGINX_READ(from, pair, sizeof(pair), request + l->at.phase))
		return false;
	id->phase = write ? pair[0] : NGINX_HEAD;
	id->content_handler = pair[1];
	if (upstream && nginx_word(from, &id->peer, upstream + NGINX_UPSTREAM_PEER_NAME))
		id->peer = 0;
	return !nginx_word(from, &id->number, id->connection + l->at.number) &&
	       !nginx_word(from, &id->requests, id->connection + l->at.requests);
}

/* Returns element INDEX of the array of configurations at offset AT of REQUEST, or 0. */
static inline uint64_t nginx_configuration(
	void *from, uint64_t request, uint32_t at, uint32_t index)
{
	uint64_t list, conf = 0;

	if (nginx_word(from, &list, request + at) || !list ||
		nginx_word(from, &conf, list + 8ULL * index))
		return 0;
	return conf;
}

/* Returns the address of string KIND of REQUEST, a length and a pointer, or 0 if it has none. */
static inline uint64_t nginx_string_at(
	void *from, const struct nginx_layout *l, uint64_t request, uint32_t kind)
{
	uint64_t to = 0;

	switch (kind) {
	case NGINX_URI:
		return request + l->at.uri;
	case NGINX_ARGS:
		return request + l->at.args;
	case NGINX_METHOD:
		return request + l->at.method;
	case NGINX_HOST:
		return request + l->at.server;
	case NGINX_SERVER:
		to = nginx_configuration(from, request, NGINX_REQUEST_SRV_CONF, l->core);
		return to ? to + l->at.server_name : 0;
	case NGINX_LOCATION:
		to = nginx_configuration(from, request, NGINX_REQUEST_LOC_CONF, l->core);
		return to ? to + NGINX_LOC_CONF_NAME : 0;
	case NGINX_UPSTREAM:
	case NGINX_PEER:
		if (nginx_word(from, &to, request + l->at.upstream) || !to)
			return 0;
		if (kind == NGINX_PEER)
			return nginx_word(from, &to, to + NGINX_UPSTREAM_PEER_NAME) ? 0 : to;
		if (nginx_word(from, &to, to + l->at.upstream_conf) || !to)
			return 0;
		return to + l->at.upstream_host;
	default:
		if (nginx_word(from, &to, request + NGINX_REQUEST_CONNECTION) || !to)
			return 0;
		return to + NGINX_CONNECTION_ADDRESS;
	}
}

/* Reads the string KIND of REQUEST. Its length is 0 if there is none or it cannot be read. */
static inline void nginx_read_text(void *from, const struct nginx_layout *l, uint64_t request,
	uint32_t kind, struct nginx_text *text)
{
	uint64_t string[2], at = nginx_string_at(from, l, request, kind);
	uint32_t size;

	text->len = 0;
	if (!at || NGINX_READ(from, string, sizeof(string), at) || !string[0] ||
		string[0] > UINT32_MAX)
		return;
	size = string[0] < NGINX_TEXT_MAX ? (uint32_t)string[0] : NGINX_TEXT_MAX;
	if (!NGINX_READ(from, text->bytes, size, string[1]))
		text->len = string[0];
}

#endif
