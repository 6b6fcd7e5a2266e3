/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lines of a file descriptor in bounded memory. */
#ifndef LIB_LINES_H
#define LIB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_MAX = 1 << 20 }; /* longest line in bytes; longer ones are cut and counted */

struct lines {
	int fd;
	char *buf;
	size_t start, end, alloc;
	uint64_t left; /* bytes still to be read; the caller may lower it to ignore the rest */
	bool eof;
	bool skipping;                 /* skipping the rest of a line that was cut */
	uint64_t too_long;             /* lines cut to LINES_MAX */
	bool unended;                  /* the last line had no newline */
	int error;                     /* errno of a failed read, or 0 */
	struct decompress *decompress; /* or NULL if the file is not compressed */
};

void lines_init(struct lines *lines, int fd); /* The caller keeps FD. */
void lines_release(struct lines *lines);

/*
 * To be called before anything is read. If the file is compressed (gzip, zstd), the lines are read
 * from its content. After the end, lines_damage() returns what is wrong with the compressed data,
 * whose readable part was returned before, or NULL if nothing is wrong.
 */
void lines_decompress(struct lines *lines);
const char *lines_damage(const struct lines *lines);

/* Returns the number of bytes read from a compressed file, or 0 if the file is not compressed. */
uint64_t lines_packed(const struct lines *lines);

/*
 * Gets the next line without its LF or CRLF. It is not NUL-terminated, and valid until the next
 * call. Returns false at the end of the input, or if reading failed (error).
 */
bool lines_next(struct lines *lines, char **line, size_t *len);

/*
 * Gets the next bytes without consuming them, to detect the format. Returns WANT, or fewer at the
 * end.
 */
size_t lines_peek(struct lines *lines, size_t want, const char **bytes);

/*
 * Works like lines_peek(), for input without lines: consumes the bytes, which are valid until the
 * next call.
 */
size_t lines_take(struct lines *lines, size_t want, const char **bytes);

#endif
