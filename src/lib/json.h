/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a JSON string, with its quotes. A byte that is not of valid UTF-8 is written as the
 * four characters \xHH.
 */
void json_string(struct strbuf *out, const char *s, size_t len);

#endif
