/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a file descriptor, in bounded memory. */
#ifndef LIB_LINES_H
#define LIB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_MAX = 1 << 20 }; /* longest line in bytes; a longer one is cut and counted */

struct lines {
	int fd;
	char *buf;
	size_t start, end, alloc;
	bool eof;
	bool skipping;     /* inside the rest of a line that was too long */
	uint64_t too_long; /* lines cut to LINES_MAX */
	bool unended;      /* the last line was given and had no newline */
	int error;         /* errno of a failed read, 0: none */
};

void lines_init(struct lines *lines, int fd); /* fd stays the caller's */
void lines_release(struct lines *lines);

/*
 * The next line, without its newline and without a CR before that; not NUL-terminated, valid until
 * the next call. False at the end of the input or when reading failed (error).
 */
bool lines_next(struct lines *lines, char **line, size_t *len);

/*
 * Bytes that are in memory already, for looking at the kind of input; at most WANT, fewer at its
 * end.
 */
size_t lines_peek(struct lines *lines, size_t want, const char **bytes);

/* The same for inputs that have no lines; the bytes are taken, valid until the next call. */
size_t lines_take(struct lines *lines, size_t want, const char **bytes);

#endif
