/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds names that are similar to a name that was not found, for messages. */
#ifndef LIB_SIMILAR_H
#define LIB_SIMILAR_H

#include <stddef.h>

struct strbuf;

enum { SIMILAR_MAX = 3, SIMILAR_LENGTH = 64 /* bytes; the rest of longer names is ignored */ };

struct similar {
	char text[SIMILAR_LENGTH]; /* lower case, without wildcards */
	size_t len;
	size_t nr; /* number of best names so far, the most similar first */
	struct {
		const char *name;
		size_t len;
		size_t distance;
	} best[SIMILAR_MAX];
};

/* TEXT is a name or a pattern. */
void similar_init(struct similar *s, const char *text);

/*
 * Compares the LEN bytes of NAME, which outlives S, with the text. NAME is similar if few changes
 * turn it into the text, or if it contains the text.
 */
void similar_try(struct similar *s, const char *name, size_t len);

/* Makes NAME the only similar name. */
void similar_choose(struct similar *s, const char *name);

/* Appends "; did you mean 'a' or 'b'?", or nothing if no name was similar. */
void similar_add(const struct similar *s, struct strbuf *out);

/* Appends the line "no WHAT matches 'PATTERN'", with similar names. */
void similar_note(
	const struct similar *s, const char *what, const char *pattern, struct strbuf *notes);

#endif
