/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointer.h"

#include <dwarf.h>

static bool base_of(
	const struct bytes *b, const struct pointer_bases *bases, uint8_t encoding, uint64_t *base)
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

static uint64_t offset_of(struct bytes *b, uint8_t encoding)
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

bool pointer_read(
	struct bytes *b, const struct pointer_bases *bases, uint8_t encoding, uint64_t *value)
{
	uint64_t base;

	if (!base_of(b, bases, encoding, &base)) {
		b->bad = true;
		return false;
	}
	*value = base + offset_of(b, encoding);
	return !b->bad;
}
