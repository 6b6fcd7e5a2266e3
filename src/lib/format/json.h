/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_FORMAT_JSON_H
#define LIB_FORMAT_JSON_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a JSON string, in quotes. Bytes of invalid UTF-8 are written as the four characters
 * \xHH.
 */
void json_string(struct strbuf *out, const char *s, size_t len);

#endif
