/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes for tables in memory, with a random key in each process, so that no input can be made to
 * collide. Therefore output must not depend on them.
 */
#ifndef LIB_HASH_H
#define LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

extern uint64_t hash_key[2];

/* Joins the two halves of a product: every bit of the result depends on all bits of A and B. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_fold(a ^ hash_key[0], b ^ hash_key[1]);
}

uint64_t hash_text(const char *s, size_t len);

#endif
