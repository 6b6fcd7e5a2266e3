/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a JSON string, with its quotes. A byte that is not of valid UTF-8 is written as the
 * four characters \xHH.
 */
void json_string(struct strbuf *out, const char *s, size_t len);

/* Length of the UTF-8 character at S of LEN > 0 bytes; 0: there is none. */
size_t utf8_len(const char *s, size_t len);

#endif
