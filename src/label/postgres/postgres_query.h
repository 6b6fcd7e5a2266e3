/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes queries that differ only in their literals equal. */
#ifndef LABEL_POSTGRES_POSTGRES_QUERY_H
#define LABEL_POSTGRES_POSTGRES_QUERY_H

#include <stdbool.h>

struct strbuf;

enum { POSTGRES_QUERY_LEN = 200 }; /* bytes that a query has without literals, at most */

/*
 * Appends the SQL in TEXT to OUT, with "?" in place of each literal and of each list of literals,
 * without comments, and with one blank for all space. CUT: TEXT is not whole. What would be longer
 * than POSTGRES_QUERY_LEN, or was cut, ends with "…" and a hash of what is left of TEXT.
 */
void postgres_query_add(const char *text, bool cut, struct strbuf *out);

#endif
