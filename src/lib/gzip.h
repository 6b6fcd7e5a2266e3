/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compressed file (RFC 1952), written as it grows. It holds no time: same data, same bytes. */
#ifndef LIB_GZIP_H
#define LIB_GZIP_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct strbuf;

struct gzip {
	z_stream stream;
	FILE *out;
	unsigned char *waiting; /* to be compressed together */
	size_t nr;
};

/* -1 and ERR when zlib is not the one that this was compiled for: nothing to release then. */
int gzip_init(struct gzip *g, FILE *out, struct strbuf *err);
void gzip_add(struct gzip *g, const void *data, size_t len);

/* Ends the file and releases G. OUT, which stays open, knows whether all of it could be written. */
void gzip_finish(struct gzip *g);

#endif
