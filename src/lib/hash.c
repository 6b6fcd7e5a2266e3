/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t hash_key[2];

/* AT_RANDOM points to 16 random bytes from the kernel. */
static __attribute__((constructor)) void draw_key(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(hash_key, random, sizeof(hash_key));
}

static uint64_t load_8(const char *s)
{
	uint64_t word;

	memcpy(&word, s, sizeof(word));
	return word;
}

static uint64_t load_4(const char *s)
{
	uint32_t word;

	memcpy(&word, s, sizeof(word));
	return word;
}

/*
 * The loads have a constant size and may overlap: a call to copy the last bytes would take longer
 * than the rest.
 */
uint64_t hash_text(const char *s, size_t len)
{
	uint64_t h = hash_key[0] ^ len, a = 0, b = 0;
	const char *end = s + len;

	for (; end - s > 16; s += 16)
		h = hash_fold(load_8(s) ^ hash_key[1], load_8(s + 8) ^ h);
	if (len >= 16) {
		a = load_8(end - 16);
		b = load_8(end - 8);
	} else if (len >= 8) {
		a = load_8(s);
		b = load_8(end - 8);
	} else if (len >= 4) {
		a = load_4(s);
		b = load_4(end - 4);
	} else if (len) {
		a = (unsigned char)s[0];
		b = (unsigned char)s[len / 2] | (uint64_t)(unsigned char)end[-1] << 8;
	}
	h = hash_fold(a ^ hash_key[1], b ^ h);
	return hash_fold(h ^ hash_key[0], 0x9e3779b97f4a7c15ULL);
}
