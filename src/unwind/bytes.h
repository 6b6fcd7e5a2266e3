/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers out of a file that may hold anything: what would lie behind the end reads as 0 and bad.
 */
#ifndef UNWIND_BYTES_H
#define UNWIND_BYTES_H

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

/* Against what the encoded pointers of a section count. */
struct bytes_bases {
	const unsigned char *data; /* of the section */
	uint64_t address;          /* of its first byte */
	uint64_t got;
};

/*
 * A pointer in one of the encodings DW_EH_PE_* (Linux Standard Base, "DWARF Extensions"). False
 * and bad for those that need memory of the running program, and for those that no x86-64 tool
 * writes.
 */
bool bytes_pointer(
	struct bytes *b, const struct bytes_bases *bases, uint8_t encoding, uint64_t *value);

#endif
