/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xzsize.h"

#include <string.h>

/* See the .xz file format, https://tukaani.org/xz/xz-file-format.txt. */
enum {
	STREAM_HEADER = 12,
	FLAGS_AT = 7, /* offset in the header; the lower half is the type of checksums */
	INDEX = 0,    /* begins the index, where the size of a block's header would be */
	ALIGNMENT = 4,
	LZMA2 = 0x21,
	LZMA2_END = 0,
	LZMA2_COPY = 2, /* chunks up to this type are not compressed */
	LZMA2_PACKED = 0x80,
	LZMA2_PROPERTIES = 0xc0, /* chunks from this type on have one more byte */
};

static const unsigned char magic[6] = {0xfd, '7', 'z', 'X', 'Z', 0};

struct xz_input {
	const unsigned char *at, *end;
	bool failed;
};

static const unsigned char *take(struct xz_input *in, size_t len)
{
	const unsigned char *at = in->at;

	if (len > (size_t)(in->end - at)) {
		in->failed = true;
		return NULL;
	}
	in->at += len;
	return at;
}

static unsigned take_byte(struct xz_input *in)
{
	const unsigned char *byte = take(in, 1);

	return byte ? *byte : 0;
}

/* Reads a 16-bit size, which is stored less one, in big-endian byte order. */
static size_t take_size(struct xz_input *in)
{
	unsigned high = take_byte(in);

	return (high << 8 | take_byte(in)) + 1;
}

static uint64_t take_number(struct xz_input *in)
{
	uint64_t number = 0;
	unsigned byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && shift < 63; shift += 7) {
		byte = take_byte(in);
		number |= (uint64_t)(byte & 0x7f) << shift;
	}
	return number;
}

/*
 * Returns whether the header of a block of SIZE bytes, including the first one, which was read
 * before, has LZMA2 as its last filter.
 */
static bool takes_lzma2(struct xz_input *in, size_t size)
{
	const unsigned char *rest = take(in, size - 1);
	struct xz_input header = {rest, rest ? rest + size - 1 : NULL, !rest};
	unsigned flags = take_byte(&header);
	uint64_t filter = 0;

	if (flags & 0x40)
		take_number(&header);
	if (flags & 0x80)
		take_number(&header);
	for (unsigned n = (flags & 3) + 1; n && !header.failed; n--) {
		filter = take_number(&header);
		take(&header, take_number(&header));
	}
	return !header.failed && filter == LZMA2;
}

/* Skips a chunk of this type. Returns how many bytes it inflates to. */
static uint64_t take_chunk(struct xz_input *in, unsigned type)
{
	uint64_t size = take_size(in);

	if (type <= LZMA2_COPY) {
		take(in, size);
		return size;
	}
	if (type < LZMA2_PACKED)
		in->failed = true;
	size += (uint64_t)(type & 0x1f) << 16;
	size_t packed = take_size(in);

	take(in, packed + (type >= LZMA2_PROPERTIES));
	return size;
}

static uint64_t take_chunks(struct xz_input *in)
{
	const unsigned char *start = in->at;
	uint64_t sum = 0;
	unsigned type;

	while ((type = take_byte(in)) != LZMA2_END && !in->failed)
		sum += take_chunk(in, type);
	take(in, -(size_t)(in->at - start) % ALIGNMENT);
	return sum;
}

bool xzsize_is_xz(const void *data, size_t len)
{
	return len >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

uint64_t xzsize(const void *data, size_t len)
{
	static const unsigned char check_sizes[] = {
		0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
	struct xz_input in = {data, (const unsigned char *)data + len, false};
	const unsigned char *header = take(&in, STREAM_HEADER);
	uint64_t sum = 0;
	unsigned size;

	if (!header || !xzsize_is_xz(data, len))
		return UINT64_MAX;
	while ((size = take_byte(&in)) != INDEX && !in.failed) {
		if (!takes_lzma2(&in, (size + 1) * ALIGNMENT))
			return UINT64_MAX;
		sum += take_chunks(&in);
		take(&in, check_sizes[header[FLAGS_AT] & 15]);
	}
	return in.failed ? UINT64_MAX : sum;
}
