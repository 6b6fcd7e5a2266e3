/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes untrusted strings in text formats and messages. Bytes that would break the format are
 * written as \xHH (two lower-case hex digits), all others, UTF-8 or not, are kept:
 * - a word of a recording: blank, control characters and DEL, the backslash; the empty string is
 * "-", the string "-" is "\x2d";
 * - a frame of a folded line: ";", control characters and DEL, the backslash before an "x", and a
 * "#" that would begin a comment; the last byte of "-", "--" and of names that end like a kind,
 * "_[k]".
 * Decoding turns \xHH into the byte and keeps every other backslash.
 */
#ifndef LIB_WORD_H
#define LIB_WORD_H

#include <stddef.h>

struct strbuf;

void word_add(struct strbuf *out, const char *s, size_t len);
void folded_name_add(struct strbuf *out, const char *s, size_t len);

/* For messages: control characters and DEL as \xHH, so that it stays one line. */
void message_add(struct strbuf *out, const char *s, size_t len);
void message_add_path(struct strbuf *out, const char *path); /* and in quotes */

/* Decodes either form in place and returns the new length. The caller handles "-". */
size_t word_decode(char *s, size_t len);

/*
 * Splits LINE at single blanks into at most MAX words (in place, decoded, "-" as the empty string,
 * each NUL-terminated except the last, which may end at LINE + LEN). The last of MAX words is the
 * rest of the line, not decoded. Returns their number.
 */
struct word {
	char *s;
	size_t len;
};
size_t words_split(char *line, size_t len, struct word *words, size_t max);

#endif
