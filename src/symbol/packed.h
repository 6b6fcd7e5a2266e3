/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of worker processes as bytes, in native byte order, as they never leave the machine. The
 * reader checks all sizes, because the worker may have been taken over by the file that it read.
 * The caller has to check the numbers inside.
 */
#ifndef SYMBOL_PACKED_H
#define SYMBOL_PACKED_H

#include "lib/strbuf.h"
#include "lib/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_STRING_MAX = 1 << 16 };

/* Adds S to STRINGS. A string longer than PACKED_STRING_MAX is cut. */
uint32_t packed_string(struct strpool *strings, const char *s);

void pack_strings(struct strbuf *out, const struct strpool *strings);
void pack_array(struct strbuf *out, const void *array, size_t nr, size_t size);

struct unpack {
	const char *at, *end;
};

struct unpack unpack_begin(const struct strbuf *in);
/* Reads SIZE bytes. Returns false if there are fewer. */
bool unpack_bytes(struct unpack *u, void *to, size_t size);
/*
 * Reads the strings 1 to NR - 1 into the empty pool STRINGS. Returns false if they are malformed.
 */
bool unpack_strings(struct unpack *u, struct strpool *strings, uint32_t nr);
/* Returns NR elements of SIZE bytes, which the caller frees, or NULL if there are fewer. */
void *unpack_array(struct unpack *u, size_t nr, size_t size);

#endif
