/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of worker processes as bytes, in native byte order, as they never leave the machine. The
 * reader checks all sizes, for the worker may have been taken over by the file that it read; the
 * numbers inside are the caller's to check.
 */
#ifndef SYMBOL_PACKED_H
#define SYMBOL_PACKED_H

#include "lib/strbuf.h"
#include "lib/strpool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_STRING_MAX = 1 << 16 };

/* Adds S to STRINGS; longer ones are cut. */
uint32_t packed_string(struct strpool *strings, const char *s);

void pack_strings(struct strbuf *out, const struct strpool *strings);
void pack_array(struct strbuf *out, const void *array, size_t nr, size_t size);

struct unpack {
	const char *at, *end;
};

struct unpack unpack_begin(const struct strbuf *in);
/* Reads SIZE bytes; false: there are fewer. */
bool unpack_bytes(struct unpack *u, void *to, size_t size);
/* Reads strings 1 to NR - 1 into the empty pool STRINGS; false: malformed. */
bool unpack_strings(struct unpack *u, struct strpool *strings, uint32_t nr);
/* NR elements of SIZE bytes, which the caller frees; NULL: there are fewer. */
void *unpack_array(struct unpack *u, size_t nr, size_t size);

#endif
