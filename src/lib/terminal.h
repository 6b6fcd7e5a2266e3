/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted text on a terminal, and in tables that fit the terminal: control characters, and
 * characters that are invisible or reorder text (utf8.h), are shown as \xHH.
 */
#ifndef LIB_TERMINAL_H
#define LIB_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct strbuf;

/*
 * If stdout is a terminal, replaces the stream: in all further output, control characters other
 * than newline and tab are shown as \xHH. To be called before the first output.
 */
void terminal_guard_stdout(void);

/* Returns true if OUT is stdout, guarded as above, and $NO_COLOR and $TERM allow colours. */
bool terminal_has_colour(const FILE *out);

/* The colour of further output to stdout. */
enum terminal_colour { TERMINAL_PLAIN, TERMINAL_RED, TERMINAL_GREEN };
void terminal_colour(enum terminal_colour colour);

enum { TERMINAL_NO_LIMIT = 1 << 20 }; /* columns of a line in a file or a pipe */

/* Returns the width of the terminal OUT, or $COLUMNS, or OTHERWISE if OUT is not a terminal. */
size_t terminal_columns(FILE *out, size_t otherwise);

/* Appends S in at most COLUMNS; "..." replaces its end if it is too long. */
void terminal_add(struct strbuf *out, const char *s, size_t len, size_t columns);

/* Works like terminal_add(), for paths: "..." replaces the start. */
void terminal_add_end(struct strbuf *out, const char *s, size_t len, size_t columns);

/* Works like terminal_add(), for names: "..." replaces the middle. */
void terminal_add_ends(struct strbuf *out, const char *s, size_t len, size_t columns);

/* Returns the width of S in columns. */
size_t terminal_width(const char *s, size_t len);

/*
 * Appends S as lines of COLUMNS, broken at blanks and indented by INDENT. Longer words are not
 * broken, so that they can be copied.
 */
void terminal_add_lines(struct strbuf *out, const char *s, size_t indent, size_t columns);

#endif
