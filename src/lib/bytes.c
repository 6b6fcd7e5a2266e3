/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bytes.h"

enum { LEB_MAX = 10 }; /* bytes of a 64-bit LEB128 number */

const unsigned char *bytes_take(struct bytes *b, uint64_t n)
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

uint64_t bytes_number(struct bytes *b, unsigned int size)
{
	const unsigned char *p = bytes_take(b, size);
	uint64_t value = 0;

	while (p && size--)
		value = value << 8 | p[size];
	return value;
}

/* *BITS: the number of bits read. */
static uint64_t leb(struct bytes *b, unsigned int *bits, bool *negative)
{
	uint64_t value = 0;

	*bits = 0;
	*negative = false;
	for (unsigned int i = 0; i < LEB_MAX; i++) {
		const unsigned char *p = bytes_take(b, 1);

		if (!p)
			return 0;
		value |= (uint64_t)(*p & 0x7f) << *bits;
		*bits += 7;
		*negative = *p & 0x40;
		if (!(*p & 0x80))
			return value;
	}
	b->bad = true;
	return 0;
}

uint64_t bytes_uleb(struct bytes *b)
{
	unsigned int bits;
	bool negative;

	return leb(b, &bits, &negative);
}

int64_t bytes_sleb(struct bytes *b)
{
	unsigned int bits;
	bool negative;
	uint64_t value = leb(b, &bits, &negative);

	if (negative && bits < 64)
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}
