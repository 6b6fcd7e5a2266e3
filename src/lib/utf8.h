/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Decodes the character at S of LEN > 0 bytes. Returns its length in bytes, or 0 if it is invalid
 * (truncated, overlong, a surrogate, above U+10FFFF).
 */
size_t utf8_decode(const char *s, size_t len, uint32_t *c);

/* Appends the character C, at most U+10FFFF. */
void utf8_add(struct strbuf *out, uint32_t c);

/* Returns false for control characters, line separators, bidirectional marks, U+FFFE and U+FFFF. */
bool utf8_is_visible(uint32_t c);

#endif
