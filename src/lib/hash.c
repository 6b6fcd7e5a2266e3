/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t hash_key[2];

/* AT_RANDOM: 16 random bytes from the kernel. */
static __attribute__((constructor)) void draw_key(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(hash_key, random, sizeof(hash_key));
}

uint64_t hash_text(const char *s, size_t len)
{
	uint64_t h = hash_key[0] ^ len, word[2];

	for (; len >= 16; s += 16, len -= 16) {
		memcpy(word, s, 16);
		h = hash_fold(word[0] ^ hash_key[1], word[1] ^ h);
	}
	word[0] = word[1] = 0;
	memcpy(word, s, len);
	h = hash_fold(word[0] ^ hash_key[1], word[1] ^ h);
	return hash_fold(h ^ hash_key[0], 0x9e3779b97f4a7c15ULL);
}
