/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_stream.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perfdata_format.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	SKIP = 1 << 16,
	PLAIN_MAX = 256 << 20, /* bytes that one compressed record may become */
	PLAIN_STEP = 1 << 18,
};

/* All compressed records are parts of one stream, and records may begin in one and end in another.
 */
struct perfdata_zstd {
	ZSTD_DCtx *context;
	struct strbuf plain;
	size_t at; /* plain's records from here on were not returned yet */
};

void perfdata_stream_init(struct perfdata_stream *s, struct lines *lines, uint64_t size)
{
	*s = (struct perfdata_stream){.lines = lines, .left = size};
}

void perfdata_stream_release(struct perfdata_stream *s)
{
	if (!s->zstd)
		return;
	ZSTD_freeDCtx(s->zstd->context);
	strbuf_release(&s->zstd->plain);
	free(s->zstd);
	s->zstd = NULL;
}

/* Skips the next N bytes of a file that can do without reading them, and that has them. */
static bool seek(struct lines *lines, uint64_t n)
{
	uint64_t buffered = lines->end - lines->start;
	struct stat st;

	if (lines->decompress || n < buffered || n - buffered > lines->left ||
		fstat(lines->fd, &st) || !S_ISREG(st.st_mode))
		return false;
	n -= buffered;

	off_t at = lseek(lines->fd, 0, SEEK_CUR);

	if (at < 0 || at > st.st_size || n > (uint64_t)(st.st_size - at) ||
		lseek(lines->fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	lines->start = lines->end = 0;
	lines->left -= n;
	return true;
}

/* Skips the next N bytes of the input. Returns false if there are fewer. */
static bool skip(struct lines *lines, uint64_t n)
{
	const char *bytes;

	if (n > SKIP && seek(lines, n))
		return true;
	while (n) {
		size_t part = n < SKIP ? n : SKIP;

		if (lines_take(lines, part, &bytes) < part)
			return false;
		n -= part;
	}
	return true;
}

/* Returns the next N bytes, or NULL if there are fewer. */
static const unsigned char *take(struct perfdata_stream *s, size_t n)
{
	const char *bytes;

	if (n > s->left || lines_take(s->lines, n, &bytes) < n) {
		s->end = PERFDATA_CUT;
		return NULL;
	}
	s->left -= s->left == UINT64_MAX ? 0 : n;
	s->taken += n;
	return (const unsigned char *)bytes;
}

static bool is_at_end(struct perfdata_stream *s)
{
	const char *bytes;

	return !s->left || !lines_peek(s->lines, 1, &bytes);
}

static void skip_behind(struct perfdata_stream *s, uint64_t size)
{
	if (size > s->left || !skip(s->lines, size)) {
		s->end = PERFDATA_CUT;
		s->left = 0;
		return;
	}
	s->left -= s->left == UINT64_MAX ? 0 : size;
	s->taken += size;
}

const unsigned char *perfdata_stream_behind(struct perfdata_stream *s, uint64_t size, uint64_t max)
{
	if (size <= max)
		return take(s, size);
	skip_behind(s, size);
	return NULL;
}

/* Skips the trace behind a record, whose NR bytes begin with the trace's size. */
static void skip_trace(struct perfdata_stream *s, const unsigned char *record, size_t nr)
{
	uint64_t size;

	if (nr < sizeof(struct perf_event_header) + sizeof(size))
		return;
	memcpy(&size, record + sizeof(struct perf_event_header), sizeof(size));
	skip_behind(s, size);
	s->skipped += s->end ? 0 : size;
}

static const unsigned char *next_raw(struct perfdata_stream *s, struct perf_event_header *header)
{
	const char *bytes;

	if (is_at_end(s))
		return NULL;
	if (lines_peek(s->lines, sizeof(*header), &bytes) < sizeof(*header)) {
		s->end = PERFDATA_CUT;
		return NULL;
	}
	memcpy(header, bytes, sizeof(*header));
	if (header->size < sizeof(*header)) {
		s->end = PERFDATA_DAMAGED;
		return NULL;
	}
	return take(s, header->size);
}

/* Returns the next record of what was decompressed, or NULL if no whole one is left. */
static const unsigned char *next_plain(struct perfdata_stream *s, struct perf_event_header *header)
{
	struct perfdata_zstd *z = s->zstd;
	size_t left = z ? z->plain.len - z->at : 0;
	const char *record = z ? z->plain.buf + z->at : NULL;

	if (left < sizeof(*header))
		return NULL;
	memcpy(header, record, sizeof(*header));
	if (header->size < sizeof(*header)) {
		s->end = PERFDATA_DAMAGED;
		z->at = z->plain.len;
		return NULL;
	}
	if (left < header->size)
		return NULL;
	z->at += header->size;
	return (const unsigned char *)record;
}

static bool start_zstd(struct perfdata_stream *s)
{
	if (!s->zstd) {
		s->zstd = xcalloc(1, sizeof(*s->zstd));
		s->zstd->plain = (struct strbuf)STRBUF_INIT;
		s->zstd->context = ZSTD_createDCtx();
	}
	return s->zstd->context;
}

/* Keeps the record that has only begun. */
static void keep_rest(struct perfdata_zstd *z)
{
	size_t left = z->plain.len - z->at;

	memmove(z->plain.buf, z->plain.buf + z->at, left);
	z->plain.len = left;
	z->at = 0;
}

static bool decompress(struct perfdata_stream *s, const unsigned char *data, size_t size)
{
	ZSTD_inBuffer in = {data, size, 0};
	size_t begun, wrote;

	if (!start_zstd(s))
		return false;
	keep_rest(s->zstd);
	begun = s->zstd->plain.len;
	do {
		struct strbuf *plain = &s->zstd->plain;

		if (plain->len - begun > PLAIN_MAX)
			return false;
		strbuf_grow(plain, PLAIN_STEP);

		ZSTD_outBuffer out = {plain->buf + plain->len, PLAIN_STEP, 0};

		if (ZSTD_isError(ZSTD_decompressStream(s->zstd->context, &out, &in)))
			return false;
		wrote = out.pos;
		plain->len += wrote;
	} while (in.pos < in.size || wrote == PLAIN_STEP);
	return true;
}

/* Decompresses RECORD. Returns false if it is damaged. */
static bool unpack(struct perfdata_stream *s, const unsigned char *record, size_t size, bool sized)
{
	size_t head = sizeof(struct perf_event_header) + (sized ? 8 : 0);
	uint64_t inside = size - head;

	if (size < head)
		return false;
	if (sized)
		memcpy(&inside, record + sizeof(struct perf_event_header), 8);
	return inside <= size - head && decompress(s, record + head, inside);
}

const unsigned char *perfdata_stream_next(
	struct perfdata_stream *s, struct perf_event_header *header)
{
	const unsigned char *record;

	while (s->end == PERFDATA_WHOLE) {
		record = next_plain(s, header);
		if (record || s->end)
			return record;
		record = next_raw(s, header);
		if (!record)
			return NULL;
		switch (header->type) {
		case PERFDATA_COMPRESSED:
		case PERFDATA_COMPRESSED2:
			if (!unpack(s, record, header->size, header->type != PERFDATA_COMPRESSED))
				s->end = PERFDATA_UNZSTD;
			break;
		case PERFDATA_AUXTRACE:
			skip_trace(s, record, header->size);
			break;
		default:
			return record;
		}
	}
	return NULL;
}
