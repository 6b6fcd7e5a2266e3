/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the requests and connections that a worker of nginx serves from its memory. Unless the
 * worker is stopped, a request may change while it is read: struct nginx_request says whether it
 * did.
 */
#ifndef NGINX_NGINX_READ_H
#define NGINX_NGINX_READ_H

#include "label/nginx/nginx_layout.h"
#include "process/target.h"

#include <stddef.h>

struct nginx_request {
	uint64_t address;
	uint64_t main, parent; /* addresses; unless it is a subrequest, its own and 0 */
	uint64_t connection;   /* address; with HTTP/2 and 3 it is not in the array */
	uint64_t pool;         /* address */
	int64_t start_ms;      /* since 1970 */
	int64_t sent;          /* bytes */
	bool consistent;       /* it was the same request before and after it was read */
	struct nginx_texts texts;
};

/* Returns whether an active request is at REQUEST in the process with MEMORY. */
bool nginx_request_is_at(
	const struct nginx_layout *l, const struct memory *memory, uint64_t request);

/* Returns the request that WORD leads to, or 0, as nginx_request_of() in nginx_step.h. */
uint64_t nginx_request_of_word(
	const struct nginx_layout *l, const struct memory *memory, uint64_t word);

/* Reads the request at ADDRESS; returns false if there is none. */
bool nginx_request_read(const struct nginx_layout *l, const struct memory *memory, uint64_t address,
	struct nginx_request *request);

/* A connection that is open. */
struct nginx_connection {
	uint64_t address;
	uint64_t data;      /* address of its request or other owner */
	uint64_t request;   /* address of the request that it belongs to, or 0 if there is none */
	uint64_t listening; /* address, or 0 if the connection is not from a client */
	uint64_t number;    /* as $connection */
	int32_t fd;
	uint32_t index; /* in the array */
	int64_t sent;   /* bytes */
	/* The read and the write event of the connection. */
	struct nginx_event {
		uint64_t handler;  /* address of the function, or 0 */
		uint64_t timer_ms; /* when it expires, as ngx_current_msec, or 0 if not set */
		bool accepts;      /* the connection is a listening socket */
	} read, write;
};

/*
 * Reads the connection at ADDRESS, which need not be in the array. Returns false if it is closed or
 * cannot be read.
 */
bool nginx_connection_read(const struct nginx_layout *l, const struct memory *memory,
	uint64_t address, struct nginx_connection *c);

/*
 * Lists the open connections of the process, from clients and to upstreams, in the order of the
 * array. Returns NULL and sets *NR to 0 if it has none or cannot be read. The caller frees the
 * list.
 */
struct nginx_connection *nginx_connections_read(
	const struct nginx_layout *l, const struct memory *memory, size_t *nr);

/*
 * Lists the addresses of the requests that the connections in LIST belong to, each address once.
 * These are main requests and subrequests that are active. The caller frees the list.
 */
uint64_t *nginx_requests_list(
	const struct nginx_connection *list, size_t nr_connections, size_t *nr);

#endif
