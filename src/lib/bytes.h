/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers out of a file that may hold anything: what would lie behind the end reads as 0 and bad.
 */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *at, *end;
	bool bad;
};

/* The next N bytes, which are passed over; NULL: there are fewer. */
const unsigned char *bytes_take(struct bytes *b, uint64_t n);
uint64_t bytes_number(struct bytes *b, unsigned int size); /* little-endian, up to 8 bytes */
uint64_t bytes_uleb(struct bytes *b);
int64_t bytes_sleb(struct bytes *b);

#endif
