/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the requests of HTTP/2. They share a connection, which has a table of its streams, and each
 * stream has one request. The offset of the table in a connection is recognized by the streams,
 * since each of them refers back to its connection and to its node in the table.
 */
#ifndef NGINX_NGINX_STREAMS_H
#define NGINX_NGINX_STREAMS_H

#include "nginx_read.h"

struct nginx_streams {
	uint16_t table;    /* offset in struct ngx_http_v2_connection_s, or 0 if not known yet */
	unsigned searched; /* number of connections in which the table was not found */
	size_t nodes;      /* number of nodes of the current table that were read */
	/* Addresses of each stream's main request, and of its active request if that differs. */
	uint64_t *requests;
	size_t nr, alloc;
};

/* Adds the requests of C if it is an HTTP/2 connection. S begins with 0; the caller releases it. */
void nginx_streams_read(struct nginx_streams *s, const struct nginx_layout *l,
	const struct memory *m, const struct nginx_connection *c);
void nginx_streams_release(struct nginx_streams *s);

#endif
