/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches numbers that were computed from texts. The cache is bounded: it is cleared when full, so a
 * miss does not mean that the text is new.
 */
#ifndef LIB_MEMO_H
#define LIB_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMO_BYTES = 8 << 20 }; /* limit of bytes of text */

struct memo {
	char *bytes; /* all texts, concatenated */
	size_t len, alloc;
	struct memo_slot {
		uint64_t hash;
		uint32_t at, len; /* len is 0 in free slots */
		uint32_t value;
	} * slots; /* open addressing */
	uint32_t nr, mask;
};

void memo_init(struct memo *memo);
void memo_release(struct memo *memo);

/*
 * Gets the value for the LEN > 0 bytes at S, whose hash_text() is HASH. Returns false if it is not
 * cached.
 */
bool memo_get(const struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t *value);
/* To be called only after memo_get() has failed. Text longer than MEMO_BYTES / 16 is not cached. */
void memo_put(struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t value);

#endif
