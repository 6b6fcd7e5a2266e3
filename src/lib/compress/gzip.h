/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a gzip file (RFC 1952) without a time stamp, so that the same data gives the same bytes.
 */
#ifndef LIB_COMPRESS_GZIP_H
#define LIB_COMPRESS_GZIP_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct strbuf;

struct gzip {
	z_stream stream;
	FILE *out;
	unsigned char *waiting; /* not yet compressed */
	size_t nr;
};

/*
 * Returns -1, sets ERR and leaves nothing to release if zlib is not of the version used for
 * compiling.
 */
int gzip_init(struct gzip *g, FILE *out, struct strbuf *err);
void gzip_add(struct gzip *g, const void *data, size_t len);

/* Ends the file and releases G. OUT stays open; ferror(OUT) tells whether writing failed. */
void gzip_finish(struct gzip *g);

#endif
