/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a file descriptor, in bounded memory. */
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
	uint64_t left; /* bytes still to be read; the caller may lower it, the rest is ignored */
	bool eof;
	bool skipping;                 /* skipping the rest of a line that was cut */
	uint64_t too_long;             /* lines cut to LINES_MAX */
	bool unended;                  /* the last line had no newline */
	int error;                     /* errno of a failed read, 0: none */
	struct decompress *decompress; /* NULL: the file is not compressed */
};

void lines_init(struct lines *lines, int fd); /* The caller keeps FD. */
void lines_release(struct lines *lines);

/*
 * To be called before anything is read: if the file is compressed (gzip, zstd), what is read from
 * then on is its content. lines_damage after the end: what is wrong with the compressed data, of
 * which the readable part was given; NULL: nothing.
 */
void lines_decompress(struct lines *lines);
const char *lines_damage(const struct lines *lines);

/* Of a compressed file, the number of its bytes that were read; 0 if it is not compressed. */
uint64_t lines_packed(const struct lines *lines);

/*
 * The next line without its LF or CRLF; not NUL-terminated, valid until the next call. False at the
 * end of the input, or if reading failed (error).
 */
bool lines_next(struct lines *lines, char **line, size_t *len);

/*
 * The next bytes without consuming them, to detect the format: WANT, or fewer at the end.
 */
size_t lines_peek(struct lines *lines, size_t want, const char **bytes);

/* The same for input without lines, consuming the bytes, which are valid until the next call. */
size_t lines_take(struct lines *lines, size_t want, const char **bytes);

#endif
