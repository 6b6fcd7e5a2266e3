/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decompress.h"
#include "lib/util.h"
#include "zlib_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
	CHUNK = 1 << 16,
	WINDOW_LOG_MAX = 27,
};

#define GZIP_MAGIC "\x1f\x8b"
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"

struct decompress {
	int fd;
	z_stream gzip;
	ZSTD_DCtx *zstd; /* or NULL for gzip */
	unsigned char in[CHUNK];
	size_t at, nr;  /* in[at] to in[nr - 1] are not yet decompressed */
	uint64_t taken; /* bytes read from the file */
	bool eof;       /* the end of the file is reached */
	bool inside;    /* a member or frame is not complete */
	bool ended;
	const char *damage;
};

static bool start_zstd(struct decompress *d)
{
	d->zstd = ZSTD_createDCtx();
	return d->zstd &&
	       !ZSTD_isError(ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

struct decompress *decompress_new(int fd, const char *first, size_t nr)
{
	bool is_zstd = begins_with(first, nr, ZSTD_MAGIC);

	if (nr > CHUNK || (!is_zstd && !begins_with(first, nr, GZIP_MAGIC)))
		return NULL;
	struct decompress *d = xcalloc(1, sizeof(*d));

	d->fd = fd;
	d->nr = d->taken = nr;
	d->inside = true;
	memcpy(d->in, first, nr);
	d->gzip.zalloc = zlib_allocate;
	d->gzip.zfree = zlib_release;
	if (is_zstd ? start_zstd(d) : inflateInit2(&d->gzip, MAX_WBITS + ZLIB_GZIP_HEADER) == Z_OK)
		return d;
	d->damage = "cannot decompress: out of memory, or a library of another version";
	d->ended = true;
	return d;
}

void decompress_free(struct decompress *d)
{
	if (!d)
		return;
	inflateEnd(&d->gzip);
	ZSTD_freeDCtx(d->zstd);
	free(d);
}

static void damaged(struct decompress *d, const char *why)
{
	d->damage = why;
	d->ended = true;
}

/* Returns false if reading failed. At the end of the file, IN is empty. */
static bool fill(struct decompress *d)
{
	ssize_t n;

	if (d->at < d->nr || d->eof)
		return true;
	do
		n = read(d->fd, d->in, sizeof(d->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return false;
	d->at = 0;
	d->nr = (size_t)n;
	d->taken += d->nr;
	d->eof = !n;
	return true;
}

/* Decompresses a part of IN to DATA. Returns the number of bytes in DATA. */
static size_t inflate_some(struct decompress *d, void *data, size_t size)
{
	d->gzip.next_in = d->in + d->at;
	d->gzip.avail_in = (unsigned)(d->nr - d->at);
	d->gzip.next_out = data;
	d->gzip.avail_out = size < CHUNK ? (unsigned)size : CHUNK;

	unsigned most = d->gzip.avail_out;
	int ret = inflate(&d->gzip, Z_NO_FLUSH);

	d->at = d->nr - d->gzip.avail_in;
	if (ret == Z_STREAM_END)
		d->inside = false;
	else if (ret != Z_OK && ret != Z_BUF_ERROR)
		damaged(d, "the compressed data is damaged");
	return most - d->gzip.avail_out;
}

static size_t unzstd_some(struct decompress *d, void *data, size_t size)
{
	ZSTD_inBuffer in = {d->in, d->nr, d->at};
	ZSTD_outBuffer out = {data, size, 0};
	size_t ret = ZSTD_decompressStream(d->zstd, &out, &in);

	d->at = in.pos;
	if (ZSTD_isError(ret))
		damaged(d,
			"the compressed data is damaged, or needs more than 128 MiB to decompress");
	else if (!ret)
		d->inside = false;
	return out.pos;
}

/* Begins the next member of gzip, before which zeros may stand, or the next frame of zstd. */
static void begin_next(struct decompress *d)
{
	while (d->at < d->nr && !d->zstd && !d->in[d->at])
		d->at++;
	if (d->at == d->nr)
		return;
	if (!d->zstd && d->in[d->at] != GZIP_MAGIC[0]) {
		damaged(d, "after the compressed data there is something else");
		return;
	}
	if (!d->zstd)
		inflateReset(&d->gzip);
	d->inside = true;
}

ssize_t decompress_read(struct decompress *d, void *data, size_t size)
{
	size_t n = 0;

	while (!n && !d->ended && size) {
		if (!fill(d))
			return -1;
		if (!d->inside && !d->eof) {
			begin_next(d);
			continue;
		}
		if (d->inside)
			n = d->zstd ? unzstd_some(d, data, size) : inflate_some(d, data, size);
		if (n || !d->eof)
			continue;
		if (d->inside && !d->damage)
			damaged(d, "the compressed data ends early");
		d->ended = true;
	}
	return (ssize_t)n;
}

uint64_t decompress_taken(const struct decompress *d)
{
	return d->taken;
}

const char *decompress_damage(const struct decompress *d)
{
	return d->damage;
}
