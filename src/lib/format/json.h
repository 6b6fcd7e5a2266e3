/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_FORMAT_JSON_H
#define LIB_FORMAT_JSON_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Appends S as a JSON string, in quotes. Bytes of invalid UTF-8 are written as the four characters
 * \xHH.
 */
void json_string(struct strbuf *out, const char *s, size_t len);

/* Appends BEFORE and "KEY": S, or null if S is NULL. */
void json_text(struct strbuf *out, const char *before, const char *key, const char *s);

/* Appends BEFORE and "KEY": PART, "KEY_pct": its share of ALL. */
void json_share(
	struct strbuf *out, const char *before, const char *key, uint64_t part, uint64_t all);

#endif
