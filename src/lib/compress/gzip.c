/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gzip.h"
#include "lib/util.h"
#include "zlib_memory.h"

#include <stdlib.h>
#include <string.h>

enum { WAITING = 1 << 16 };

int gzip_init(struct gzip *g, FILE *out, struct strbuf *err)
{
	*g = (struct gzip){.stream = {.zalloc = zlib_allocate, .zfree = zlib_release}, .out = out};
	if (deflateInit2(&g->stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + ZLIB_GZIP_HEADER,
		    MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return fail(err, "cannot compress: zlib is of another version\n");
	g->waiting = xmalloc(WAITING);
	return 0;
}

static void compress_waiting(struct gzip *g, int flush)
{
	unsigned char out[WAITING / 2];

	g->stream.next_in = g->waiting;
	g->stream.avail_in = (unsigned)g->nr;
	do {
		g->stream.next_out = out;
		g->stream.avail_out = sizeof(out);
		deflate(&g->stream, flush);
		fwrite(out, 1, sizeof(out) - g->stream.avail_out, g->out);
	} while (!g->stream.avail_out);
	g->nr = 0;
}

void gzip_add(struct gzip *g, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		size_t n = len < WAITING - g->nr ? len : WAITING - g->nr;

		memcpy(g->waiting + g->nr, at, n);
		g->nr += n;
		at += n;
		len -= n;
		if (g->nr == WAITING)
			compress_waiting(g, Z_NO_FLUSH);
	}
}

void gzip_finish(struct gzip *g)
{
	compress_waiting(g, Z_FINISH);
	deflateEnd(&g->stream);
	free(g->waiting);
	*g = (struct gzip){0};
}
