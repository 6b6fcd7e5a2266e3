/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit for formats in which a few bytes stand for a stack of any size: how much larger than its
 * file a profile may become. What counts is about what its stacks take as folded lines.
 */
#ifndef INPUT_EXPANSION_H
#define INPUT_EXPANSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EXPANSION_ANY = 64 << 20, /* bytes that any file may become */
	EXPANSION_EACH = 1024,    /* and that each byte of it may, and, if it is compressed, */
	EXPANSION_PACKED = 8192,  /* each byte of what it is compressed to */
	EXPANSION_FRAME = 64,     /* of a frame, beside its name */
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

/* For a file of so many bytes, compressed to PACKED bytes; 0: it is not compressed. */
static inline struct expansion expansion_of(uint64_t bytes, uint64_t packed)
{
	uint64_t max = expansion_max(bytes, EXPANSION_EACH);
	uint64_t of_packed = expansion_max(packed, EXPANSION_PACKED);

	return (struct expansion){packed && of_packed < max ? of_packed : max};
}

/* Counts a frame with a name of NAME_LEN bytes. False: the limit is reached. */
static inline bool expansion_take(struct expansion *e, size_t name_len)
{
	uint64_t n = EXPANSION_FRAME + name_len;

	e->left = e->left > n ? e->left - n : 0;
	return e->left;
}

#endif
