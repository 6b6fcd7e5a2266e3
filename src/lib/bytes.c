/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bytes.h"

enum { LEB_MAX = 10 }; /* bytes of a 64-bit LEB128 number */

/* Reads a LEB128 number. *BITS is the number of bits read. */
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

uint64_t bytes_long_uleb(struct bytes *b)
{
	unsigned int bits;
	bool negative;

	return leb(b, &bits, &negative);
}

int64_t bytes_long_sleb(struct bytes *b)
{
	unsigned int bits;
	bool negative;
	uint64_t value = leb(b, &bits, &negative);

	if (negative && bits < 64)
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}
