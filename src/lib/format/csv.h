/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_FORMAT_CSV_H
#define LIB_FORMAT_CSV_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a field of RFC 4180: in double quotes if it contains a comma, a quote, CR or LF. A
 * field that a spreadsheet would take for a formula (it begins with = + - @, also in full width,
 * tab or CR) is prefixed with a '.
 */
void csv_field(struct strbuf *out, const char *s, size_t len);

#endif
