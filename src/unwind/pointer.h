/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoded pointers of call frame information. */
#ifndef UNWIND_POINTER_H
#define UNWIND_POINTER_H

#include "lib/bytes.h"

/* The bases of the encoded pointers of a section. */
struct pointer_bases {
	const unsigned char *data; /* contents of the section */
	uint64_t address;          /* address of its first byte */
	uint64_t got;
};

/*
 * Reads a pointer in one of the encodings DW_EH_PE_* (Linux Standard Base, "DWARF Extensions").
 * Returns false and sets bad for encodings that need the memory of the running program, or that are
 * not used here.
 */
bool pointer_read(
	struct bytes *b, const struct pointer_bases *bases, uint8_t encoding, uint64_t *value);

#endif
