/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"
#include "compress/decompress.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lines_init(struct lines *lines, int fd)
{
	*lines = (struct lines){.fd = fd, .alloc = 1 << 16, .left = UINT64_MAX};
	lines->buf = xmalloc(lines->alloc);
}

void lines_release(struct lines *lines)
{
	free(lines->buf);
	decompress_free(lines->decompress);
	*lines = (struct lines){.fd = -1};
}

static ssize_t read_some(struct lines *lines, size_t most)
{
	ssize_t n;

	if (lines->decompress)
		return decompress_read(lines->decompress, lines->buf + lines->end, most);
	do
		n = read(lines->fd, lines->buf + lines->end, most);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Reads once and appends to the buffer. Returns false at the end or on error. */
static bool more(struct lines *lines)
{
	if (lines->eof)
		return false;
	if (lines->start) {
		memmove(lines->buf, lines->buf + lines->start, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
	}
	if (lines->end == lines->alloc) {
		lines->alloc *= 2;
		lines->buf = xrealloc(lines->buf, lines->alloc, 1);
	}
	size_t most = lines->alloc - lines->end;

	if (most > lines->left)
		most = lines->left;
	ssize_t n = read_some(lines, most);

	if (n < 0)
		lines->error = errno;
	if (n <= 0)
		lines->eof = true;
	else {
		lines->end += (size_t)n;
		lines->left -= (size_t)n;
	}
	return n > 0;
}

void lines_decompress(struct lines *lines)
{
	const char *bytes;

	lines_peek(lines, DECOMPRESS_MAGIC, &bytes);
	lines->decompress = decompress_new(lines->fd, bytes, lines->end - lines->start);
	if (!lines->decompress)
		return;
	lines->start = lines->end = 0;
	lines->eof = false;
}

const char *lines_damage(const struct lines *lines)
{
	return lines->decompress ? decompress_damage(lines->decompress) : NULL;
}

uint64_t lines_packed(const struct lines *lines)
{
	return lines->decompress ? decompress_taken(lines->decompress) : 0;
}

static bool give(struct lines *lines, size_t len, size_t used, char **line, size_t *out)
{
	*line = lines->buf + lines->start;
	if (len > LINES_MAX) {
		len = LINES_MAX;
		lines->too_long++;
	}
	if (len && (*line)[len - 1] == '\r')
		len--;
	*out = len;
	lines->start += used;
	return true;
}

bool lines_next(struct lines *lines, char **line, size_t *len)
{
	size_t seen = 0;

	for (;;) {
		size_t have = lines->end - lines->start;
		char *nl = memchr(lines->buf + lines->start + seen, '\n', have - seen);

		if (nl && lines->skipping) {
			lines->start = (size_t)(nl - lines->buf) + 1;
			lines->skipping = false;
			seen = 0;
			continue;
		}
		if (nl) {
			size_t n = (size_t)(nl - lines->buf) - lines->start;

			return give(lines, n, n + 1, line, len);
		}
		if (lines->skipping)
			lines->start = lines->end;
		else if (have > LINES_MAX) {
			lines->skipping = true;
			return give(lines, have, have, line, len);
		}
		seen = lines->end - lines->start;
		if (!more(lines))
			break;
	}
	size_t rest = lines->end - lines->start;

	if (rest || lines->skipping)
		lines->unended = true;
	return rest && give(lines, rest, rest, line, len);
}

size_t lines_peek(struct lines *lines, size_t want, const char **bytes)
{
	while (lines->end - lines->start < want && more(lines))
		;
	*bytes = lines->buf + lines->start;
	return lines->end - lines->start < want ? lines->end - lines->start : want;
}

size_t lines_take(struct lines *lines, size_t want, const char **bytes)
{
	size_t n = lines_peek(lines, want, bytes);

	lines->start += n;
	return n;
}
