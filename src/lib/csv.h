/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_CSV_H
#define LIB_CSV_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a field of RFC 4180: in double quotes when it holds a comma, a quote, CR or LF. A
 * field that a spreadsheet would run as a formula (it begins with = + - @, tab or CR) gets a '
 * before it.
 */
void csv_field(struct strbuf *out, const char *s, size_t len);

#endif
