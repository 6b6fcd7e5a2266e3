/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads numbers from untrusted bytes: reading past the end yields 0 and sets bad. */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *at, *end;
	bool bad;
};

/* Returns the next N bytes and moves past them; NULL: there are fewer. */
const unsigned char *bytes_take(struct bytes *b, uint64_t n);
uint64_t bytes_number(struct bytes *b, unsigned int size); /* little-endian, up to 8 bytes */
uint64_t bytes_uleb(struct bytes *b);
int64_t bytes_sleb(struct bytes *b);

#endif
