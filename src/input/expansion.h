/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits how much larger than its file a profile may become, for formats in which a few bytes can
 * stand for a stack of any size. The size of a profile is estimated as the size of its stacks as
 * folded lines.
 */
#ifndef INPUT_EXPANSION_H
#define INPUT_EXPANSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EXPANSION_ANY = 64 << 20, /* bytes that every file may expand to */
	EXPANSION_EACH = 1024,    /* additional bytes for each byte of the file */
	EXPANSION_PACKED = 8192,  /* additional bytes for each byte of the compressed file */
	EXPANSION_FRAME = 64,     /* size of a frame without its name */
};

struct expansion {
	uint64_t left;
};

static inline uint64_t expansion_max(uint64_t bytes, uint64_t each)
{
	uint64_t max;

	if (__builtin_mul_overflow(bytes, each, &max) ||
		__builtin_add_overflow(max, EXPANSION_ANY, &max))
		return UINT64_MAX;
	return max;
}

/*
 * Returns the limit for a file of BYTES bytes. PACKED is its compressed size, or 0 if it is not
 * compressed.
 */
static inline struct expansion expansion_of(uint64_t bytes, uint64_t packed)
{
	uint64_t max = expansion_max(bytes, EXPANSION_EACH);
	uint64_t of_packed = expansion_max(packed, EXPANSION_PACKED);

	return (struct expansion){packed && of_packed < max ? of_packed : max};
}

/* Counts a frame with a name of NAME_LEN bytes. Returns false if the limit is reached. */
static inline bool expansion_take(struct expansion *e, size_t name_len)
{
	uint64_t n = EXPANSION_FRAME + name_len;

	e->left = e->left > n ? e->left - n : 0;
	return e->left;
}

#endif
