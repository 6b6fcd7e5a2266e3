/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blob_id.h"

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, WORDS = 5, ROUNDS = 80 }; /* bytes of a block; words of the state */

struct sha1 {
	uint32_t state[WORDS];
	unsigned char block[BLOCK]; /* its first LEN % BLOCK bytes are not hashed yet */
	uint64_t len;
};

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/* Does a round. F is a mix of three words of the state, WORD includes the constant. */
static inline void turn(uint32_t v[WORDS], uint32_t f, uint32_t word)
{
	uint32_t next = rotate(v[0], 5) + f + v[4] + word;

	v[4] = v[3];
	v[3] = v[2];
	v[2] = rotate(v[1], 30);
	v[1] = v[0];
	v[0] = next;
}

static void add_block(struct sha1 *s, const unsigned char *block)
{
	uint32_t w[ROUNDS], v[WORDS];
	int i;

	for (i = 0; i < BLOCK / 4; i++) {
		memcpy(&w[i], block + 4 * i, sizeof(w[i]));
		w[i] = be32toh(w[i]);
	}
	for (; i < ROUNDS; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(v, s->state, sizeof(v));
	for (i = 0; i < 20; i++)
		turn(v, (v[1] & v[2]) | (~v[1] & v[3]), w[i] + 0x5a827999);
	for (; i < 40; i++)
		turn(v, v[1] ^ v[2] ^ v[3], w[i] + 0x6ed9eba1);
	for (; i < 60; i++)
		turn(v, (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]), w[i] + 0x8f1bbcdc);
	for (; i < ROUNDS; i++)
		turn(v, v[1] ^ v[2] ^ v[3], w[i] + 0xca62c1d6);
	for (i = 0; i < WORDS; i++)
		s->state[i] += v[i];
}

static void add(struct sha1 *s, const void *bytes, size_t len)
{
	const unsigned char *from = bytes;

	while (len) {
		size_t at = s->len % BLOCK, n = len < BLOCK - at ? len : BLOCK - at;

		memcpy(s->block + at, from, n);
		s->len += n;
		from += n;
		len -= n;
		if (at + n == BLOCK)
			add_block(s, s->block);
	}
}

/* Adds a bit, zeros, and the length in bits, up to the end of a block. */
static void end(struct sha1 *s)
{
	static const unsigned char padding[BLOCK] = {0x80};
	uint64_t bits = htobe64(s->len * 8);

	add(s, padding, 1 + (2 * BLOCK - 1 - sizeof(bits) - s->len % BLOCK) % BLOCK);
	add(s, &bits, sizeof(bits));
}

void blob_id(const char *text, size_t len, char id[BLOB_ID + 1])
{
	struct sha1 s = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, {0}, 0};
	char head[32];

	add(&s, head, (size_t)snprintf(head, sizeof(head), "blob %zu", len) + 1);
	add(&s, text, len);
	end(&s);
	for (int i = 0; i < WORDS; i++)
		snprintf(id + 8 * i, 9, "%08x", s.state[i]);
}
