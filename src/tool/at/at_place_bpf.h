/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads numbers at the places that user space has found. */
#ifndef TOOL_AT_AT_PLACE_BPF_H
#define TOOL_AT_AT_PLACE_BPF_H

#include "at.h"
#include "engine/bpf/kern/maps.h"

static __always_inline uint64_t at_word(const void *ctx, uint16_t offset)
{
	uint64_t word = 0;

	if (offset != AT_NOWHERE)
		bpf_probe_read_kernel(&word, sizeof(word), (const char *)ctx + offset);
	return word;
}

/*
 * Reads the number at PLACE in what the program has got, which is memory of the kernel, or in
 * memory of the process. Returns false if it cannot be read.
 */
static __always_inline bool at_read_place(
	const void *ctx, const struct at_place *place, int64_t *number)
{
	uint64_t word = at_word(ctx, place->offset), size = place->size;
	uint32_t unused = 64 - 8 * size & 63;

	if (place->kind != AT_WORD)
		word += at_word(ctx, place->index) * place->scale + place->number;
	if (place->kind == AT_MEMORY) {
		const void *from = (const void *)word;

		word = 0;
		if (size > sizeof(word) || bpf_probe_read_user(&word, size, from))
			return false;
	}
	*number = place->is_signed ? (int64_t)(word << unused) >> unused : word << unused >> unused;
	return true;
}

#endif
