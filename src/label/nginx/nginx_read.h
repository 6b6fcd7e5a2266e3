/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from the memory of a worker of nginx what it serves now. Unless the worker is stopped, a
 * request may change while it is read: struct nginx_request says whether it did.
 */
#ifndef LABEL_NGINX_NGINX_READ_H
#define LABEL_NGINX_NGINX_READ_H

#include "nginx_layout.h"
#include "process/target.h"

#include <stddef.h>

struct nginx_request {
	uint64_t address;
	uint64_t main, parent; /* addresses; main is its own, parent 0: it is no subrequest */
	uint64_t connection;   /* address; with HTTP/2 and 3 not one of the array */
	uint64_t pool;         /* address */
	int64_t start_ms;      /* since 1970 */
	int64_t sent;          /* bytes */
	bool consistent;       /* it was the same request before and after it was read */
	struct nginx_texts texts;
};

/* True if REQUEST is one that is served; MEMORY is its process's. */
bool nginx_request_is_at(
	const struct nginx_layout *l, const struct memory *memory, uint64_t request);

/* As nginx_request_of() in nginx_step.h; 0: none. */
uint64_t nginx_request_of_word(
	const struct nginx_layout *l, const struct memory *memory, uint64_t word);

/* Reads the request at ADDRESS; false: there is none. */
bool nginx_request_read(const struct nginx_layout *l, const struct memory *memory, uint64_t address,
	struct nginx_request *request);

/* A connection that is open. */
struct nginx_connection {
	uint64_t address;
	uint64_t data;      /* address of its request, or of what else owns it */
	uint64_t request;   /* address of the request that it belongs to, 0: none */
	uint64_t listening; /* address; 0: it is not from a client */
	uint64_t number;    /* as $connection */
	int32_t fd;
	uint32_t index; /* in the array */
	int64_t sent;   /* bytes */
	/* of its read and its write event */
	struct nginx_event {
		uint64_t handler;  /* address of the function; 0: none */
		uint64_t timer_ms; /* when it expires, as ngx_current_msec; 0: there is no timer */
		bool accepts;      /* the connection is a listening socket */
	} read, write;
};

/* Reads the connection at ADDRESS, which need not be one of the array; false: it is closed. */
bool nginx_connection_read(const struct nginx_layout *l, const struct memory *memory,
	uint64_t address, struct nginx_connection *c);

/*
 * Lists the open connections of the process, those of clients and to upstreams, in the order of the
 * array; the caller frees the list. NULL and *NR 0: it has none, or cannot be read.
 */
struct nginx_connection *nginx_connections_read(
	const struct nginx_layout *l, const struct memory *memory, size_t *nr);

/*
 * Lists the addresses of the requests that LIST of NR connections belongs to, each once, main
 * requests and subrequests that are active; the caller frees it.
 */
uint64_t *nginx_requests_list(
	const struct nginx_connection *list, size_t nr_connections, size_t *nr);

#endif
