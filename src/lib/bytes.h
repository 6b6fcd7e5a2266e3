/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads numbers from untrusted bytes: reading past the end yields 0 and sets bad. */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const unsigned char *at, *end;
	bool bad;
};

/* Returns the next N bytes and moves past them, or returns NULL if there are fewer. */
static inline const unsigned char *bytes_take(struct bytes *b, uint64_t n)
{
	const unsigned char *at = b->at;

	if ((uint64_t)(b->end - at) < n) {
		b->at = b->end;
		b->bad = true;
		return NULL;
	}
	if (n) /* pointers may be NULL if empty */
		b->at += n;
	return at;
}

/* Read LEB128 numbers of more than one byte. */
uint64_t bytes_long_uleb(struct bytes *b);
int64_t bytes_long_sleb(struct bytes *b);

static inline uint64_t bytes_uleb(struct bytes *b)
{
	return b->at < b->end && *b->at < 0x80 ? *b->at++ : bytes_long_uleb(b);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	if (b->at == b->end || *b->at >= 0x80)
		return bytes_long_sleb(b);
	unsigned char byte = *b->at++;

	return byte & 0x40 ? byte - 0x80 : byte;
}

/* Reads a number of SIZE bytes, at most 8, with the lowest byte first. */
static inline uint64_t bytes_number(struct bytes *b, unsigned int size)
{
	const unsigned char *p = bytes_take(b, size);
	uint64_t value = 0;
	uint32_t value32;

	if (!p)
		return 0;
	switch (size) {
	case 4:
		memcpy(&value32, p, sizeof(value32));
		return le32toh(value32);
	case 8:
		memcpy(&value, p, sizeof(value));
		return le64toh(value);
	default:
		while (size--)
			value = value << 8 | p[size];
		return value;
	}
}

#endif
