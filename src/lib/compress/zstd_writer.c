/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "zstd_writer.h"
#include "lib/util.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 3, OUT_SIZE = 1 << 16 };

struct zstd_cookie {
	ZSTD_CCtx *context;
	FILE *out;
	char compressed[OUT_SIZE];
};

/* Compresses IN and, with ZSTD_e_end, ends the file. Returns -1 with errno on error. */
static int compress_into(struct zstd_cookie *c, ZSTD_inBuffer *in, ZSTD_EndDirective mode)
{
	size_t left;

	do {
		ZSTD_outBuffer to = {c->compressed, sizeof(c->compressed), 0};

		left = ZSTD_compressStream2(c->context, &to, in, mode);
		if (ZSTD_isError(left)) {
			errno = ENOMEM;
			return -1;
		}
		if (fwrite(c->compressed, 1, to.pos, c->out) < to.pos)
			return -1;
	} while (in->pos < in->size || (mode == ZSTD_e_end && left));
	return 0;
}

static ssize_t write_cookie(void *cookie, const char *data, size_t size)
{
	ZSTD_inBuffer in = {data, size, 0};

	return compress_into(cookie, &in, ZSTD_e_continue) ? 0 : (ssize_t)size;
}

static int close_cookie(void *cookie)
{
	struct zstd_cookie *c = cookie;
	ZSTD_inBuffer none = {0};
	int ret = compress_into(c, &none, ZSTD_e_end);

	ZSTD_freeCCtx(c->context);
	free(c);
	return ret;
}

FILE *zstd_writer(FILE *out)
{
	struct zstd_cookie *c = xcalloc(1, sizeof(*c));
	FILE *stream = NULL;

	c->out = out;
	c->context = ZSTD_createCCtx();
	if (c->context) {
		ZSTD_CCtx_setParameter(c->context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(c->context, ZSTD_c_checksumFlag, 1);
		stream = fopencookie(c, "w",
			(cookie_io_functions_t){.write = write_cookie, .close = close_cookie});
	}
	if (!stream) {
		ZSTD_freeCCtx(c->context);
		free(c);
		errno = ENOMEM;
	}
	return stream;
}
