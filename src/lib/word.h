/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile strings in our text formats. Both rules write a byte that would break the format as \xHH
 * (two lower-case hex digits) and leave all others, UTF-8 or not, as they are:
 * - a word of a recording: blank, control characters and DEL, the backslash; the empty string is
 * "-", the string "-" is "\x2d";
 * - a frame of a folded line: ";", control characters and DEL, and the backslash where "x" follows
 * it; the last byte of "-", "--" and of what ends as a kind does, "_[k]".
 * Decoding turns \xHH into the byte and keeps every other backslash.
 */
#ifndef LIB_WORD_H
#define LIB_WORD_H

#include <stddef.h>

struct strbuf;

void word_add(struct strbuf *out, const char *s, size_t len);
void folded_name_add(struct strbuf *out, const char *s, size_t len);

/* For people, who do not decode: control characters and DEL as \xHH, so that it stays one line. */
void message_add(struct strbuf *out, const char *s, size_t len);
void message_add_path(struct strbuf *out, const char *path); /* and quotes round it */

/* Decodes either form in place; the new length. "-" is the caller's to know. */
size_t word_decode(char *s, size_t len);

/*
 * Splits LINE at single blanks into at most MAX words (in place, decoded, "-" as the empty string,
 * each NUL-terminated except the last, which may end at LINE + LEN). The last of MAX words is the
 * rest of the line, undecoded. Returns how many there are.
 */
struct word {
	char *s;
	size_t len;
};
size_t words_split(char *line, size_t len, struct word *words, size_t max);

#endif
