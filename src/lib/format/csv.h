/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_FORMAT_CSV_H
#define LIB_FORMAT_CSV_H

#include <stddef.h>

struct strbuf;

/*
 * Appends S as a field of a CSV file (RFC 4180), in double quotes if it contains a comma, a quote,
 * CR or LF. A field that a spreadsheet would take for a formula gets the prefix ': it begins with
 * tab, CR or one of = + - @, which may be in full width.
 */
void csv_field(struct strbuf *out, const char *s, size_t len);

#endif
