/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ClickHouse's format RowBinary: numbers of the machine's order, lengths as groups of 7 bits. */
#ifndef FLEET_ROWBINARY_H
#define FLEET_ROWBINARY_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void row_add_length(struct strbuf *out, uint64_t n)
{
	for (; n > 127; n >>= 7)
		strbuf_addch(out, (char)((n & 127) | 128));
	strbuf_addch(out, (char)n);
}

static inline void row_add_string(struct strbuf *out, const char *s)
{
	row_add_length(out, strlen(s));
	strbuf_add(out, s, strlen(s));
}

/* Adds the SIZE lowest bytes of N. */
static inline void row_add(struct strbuf *out, uint64_t n, size_t size)
{
	strbuf_add(out, &n, size);
}

/* What is read. AT is NULL after something was missing; then all that follows is 0 or empty. */
struct row_reader {
	const char *at, *end;
};

static inline bool row_has_more(const struct row_reader *r)
{
	return r->at && r->at < r->end;
}

static inline uint64_t row_number(struct row_reader *r, size_t size)
{
	uint64_t n = 0;

	if (!r->at || (size_t)(r->end - r->at) < size) {
		r->at = NULL;
		return 0;
	}
	memcpy(&n, r->at, size);
	r->at += size;
	return n;
}

/* Returns a length, of things of which each has at least one byte. */
static inline uint64_t row_length(struct row_reader *r)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = row_number(r, 1);

		n |= (byte & 127) << shift;
		if (!(byte & 128))
			break;
	}
	if (!r->at || n > (uint64_t)(r->end - r->at)) {
		r->at = NULL;
		return 0;
	}
	return n;
}

/* Returns a string, which is not ended by NUL. */
static inline const char *row_string(struct row_reader *r, size_t *len)
{
	const char *s;

	*len = row_length(r);
	s = r->at ? r->at : "";
	r->at = r->at ? r->at + *len : NULL;
	return s;
}

#endif
