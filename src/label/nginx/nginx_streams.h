/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of HTTP/2: their connection is shared, and they are in streams that it has in a table.
 * Where the table is in a connection is found by the streams, each of which refers back twice.
 */
#ifndef LABEL_NGINX_NGINX_STREAMS_H
#define LABEL_NGINX_NGINX_STREAMS_H

#include "nginx_read.h"

struct nginx_streams {
	uint16_t table;    /* offset in what connections of HTTP/2 have; 0: not known yet */
	unsigned searched; /* connections in which it was not found */
	size_t nodes;      /* that were read of the connection */
	/* Addresses, of each stream the main request and the one that is active, if that differs.
	 */
	uint64_t *requests;
	size_t nr, alloc;
};

/* Adds the requests of C, if that is a connection of HTTP/2. To be released; begins with 0. */
void nginx_streams_read(struct nginx_streams *s, const struct nginx_layout *l,
	const struct memory *m, const struct nginx_connection *c);
void nginx_streams_release(struct nginx_streams *s);

#endif
