/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bytes.h"

#include <dwarf.h>

enum { LEB_MAX = 10 }; /* bytes of 64 bits */

const unsigned char *bytes_take(struct bytes *b, uint64_t n)
{
	const unsigned char *at = b->at;

	if ((uint64_t)(b->end - at) < n) {
		b->at = b->end;
		b->bad = true;
		return NULL;
	}
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

/* *BITS: how many of the value were there. */
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

static bool pointer_base(
	const struct bytes *b, const struct bytes_bases *bases, uint8_t encoding, uint64_t *base)
{
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		*base = 0;
		return true;
	case DW_EH_PE_pcrel:
		*base = bases->address + (uint64_t)(b->at - bases->data);
		return true;
	case DW_EH_PE_datarel:
		*base = bases->got;
		return bases->got;
	}
	return false;
}

static uint64_t pointer_offset(struct bytes *b, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return bytes_number(b, 8);
	case DW_EH_PE_udata4:
		return bytes_number(b, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)bytes_number(b, 4);
	case DW_EH_PE_udata2:
		return bytes_number(b, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)bytes_number(b, 2);
	case DW_EH_PE_uleb128:
		return bytes_uleb(b);
	case DW_EH_PE_sleb128:
		return (uint64_t)bytes_sleb(b);
	}
	b->bad = true;
	return 0;
}

bool bytes_pointer(
	struct bytes *b, const struct bytes_bases *bases, uint8_t encoding, uint64_t *value)
{
	uint64_t base;

	if (!pointer_base(b, bases, encoding, &base)) {
		b->bad = true;
		return false;
	}
	*value = base + pointer_offset(b, encoding);
	return !b->bad;
}
