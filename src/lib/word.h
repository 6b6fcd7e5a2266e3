/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes untrusted strings in text formats and messages. Bytes that would break the format are
 * written as \xHH (two lower-case hex digits). All other bytes, UTF-8 or not, are kept. The bytes
 * that are escaped are
 *
 * - in a word of a recording: blank, control characters and DEL, and the backslash; the empty
 *   string is written as "-", and the string "-" as "\x2d";
 * - in a frame of a folded line: ";", control characters and DEL, a backslash before an "x", a "#"
 *   that would begin a comment, and the last byte of "-", "--" and of names that end like a kind,
 *   "_[k]".
 *
 * Decoding turns \xHH into the byte, and keeps every other backslash.
 */
#ifndef LIB_WORD_H
#define LIB_WORD_H

#include <stddef.h>

struct strbuf;

void word_add(struct strbuf *out, const char *s, size_t len);
void folded_name_add(struct strbuf *out, const char *s, size_t len);

/* Escapes control characters and DEL, so that a message stays on one line. */
void message_add(struct strbuf *out, const char *s, size_t len);
void message_add_path(struct strbuf *out, const char *path); /* adds quotes, too */

/* Decodes either form in place. Returns the new length. The caller handles "-". */
size_t word_decode(char *s, size_t len);

/*
 * Splits LINE at single blanks into at most MAX words, in place. Words are decoded, "-" becomes the
 * empty string, and each word is NUL-terminated, except the last, which may end at LINE + LEN. The
 * last of MAX words is the rest of the line, and is not decoded. Returns the number of words.
 */
struct word {
	char *s;
	size_t len;
};
size_t words_split(char *line, size_t len, struct word *words, size_t max);

#endif
