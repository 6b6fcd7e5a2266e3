/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of HTTP/2: they share a connection, which has a table of its streams, and each stream
 * has one. Where the table is in a connection is found by its streams: each refers back to its
 * connection and to its node in the table.
 */
#ifndef LABEL_NGINX_NGINX_STREAMS_H
#define LABEL_NGINX_NGINX_STREAMS_H

#include "nginx_read.h"

struct nginx_streams {
	uint16_t table;    /* offset in struct ngx_http_v2_connection_s; 0: not known yet */
	unsigned searched; /* connections in which it was not found */
	size_t nodes;      /* read so far of the current table */
	/* Addresses: of each stream the main request, and the active one if that differs. */
	uint64_t *requests;
	size_t nr, alloc;
};

/* Adds the requests of C, if that is a connection of HTTP/2. To be released; begins with 0. */
void nginx_streams_read(struct nginx_streams *s, const struct nginx_layout *l,
	const struct memory *m, const struct nginx_connection *c);
void nginx_streams_release(struct nginx_streams *s);

#endif
