/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was worked out for a piece of text, so that the same text again costs one look-up. Bounded:
 * when it is full it forgets everything, so a miss never means that the text is new.
 */
#ifndef LIB_MEMO_H
#define LIB_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMO_BYTES = 8 << 20 }; /* of text, at most */

struct memo {
	char *bytes; /* all texts, one behind the other */
	size_t len, alloc;
	struct memo_slot {
		uint64_t hash;
		uint32_t at, len; /* len 0: free */
		uint32_t value;
	} * slots; /* open addressing */
	uint32_t nr, mask;
};

void memo_init(struct memo *memo);
void memo_release(struct memo *memo);

/* The value that was put in for these bytes, whose hash_text is HASH; false: not known. LEN > 0. */
bool memo_get(const struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t *value);
/* To be called only after memo_get found nothing. Text longer than MEMO_BYTES / 16 is not kept. */
void memo_put(struct memo *memo, const char *s, size_t len, uint64_t hash, uint32_t value);

#endif
