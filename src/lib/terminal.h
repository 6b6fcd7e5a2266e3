/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hostile text in tables that fit a terminal: what it would obey, and what reorders text or cannot
 * be seen (utf8.h), is shown as \xHH. */
#ifndef LIB_TERMINAL_H
#define LIB_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

struct strbuf;

/* Columns of the terminal that OUT is, or as $COLUMNS has it; OTHERWISE when it is none. */
size_t terminal_columns(FILE *out, size_t otherwise);

/* Appends S in at most COLUMNS; what is cut ends in "...". */
void terminal_add(struct strbuf *out, const char *s, size_t len, size_t columns);

/* The same for paths, whose ends tell more: what is cut begins with "...". */
void terminal_add_end(struct strbuf *out, const char *s, size_t len, size_t columns);

/* The same for names, of which both ends tell: "..." stands in the middle. */
void terminal_add_ends(struct strbuf *out, const char *s, size_t len, size_t columns);

/* The columns that S takes. */
size_t terminal_width(const char *s, size_t len);

/* Appends S as lines of COLUMNS, broken at blanks, each begun with INDENT blanks. Words longer
 * than that stay whole: somebody may copy them. */
void terminal_add_lines(struct strbuf *out, const char *s, size_t indent, size_t columns);

#endif
