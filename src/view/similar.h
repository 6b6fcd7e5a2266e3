/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that are similar to one that was not found, for messages. */
#ifndef VIEW_SIMILAR_H
#define VIEW_SIMILAR_H

#include <stddef.h>

struct strbuf;

enum { SIMILAR_MAX = 3, SIMILAR_LENGTH = 64 /* bytes; longer names are compared up to there */ };

struct similar {
	char text[SIMILAR_LENGTH]; /* lower case, without wildcards */
	size_t len;
	size_t nr; /* the best so far, the most similar first */
	struct {
		const char *name;
		size_t len;
		size_t distance;
	} best[SIMILAR_MAX];
};

/* TEXT: a name, or a pattern. */
void similar_init(struct similar *s, const char *text);

/* Compares the LEN bytes of NAME, which outlives S, with the text: few changes make it that, or it
 * contains it. */
void similar_try(struct similar *s, const char *name, size_t len);

/* Appends "; did you mean 'a' or 'b'?"; nothing if no name was similar. */
void similar_add(const struct similar *s, struct strbuf *out);

/* Appends the line "no function matches 'PATTERN'" with them. */
void similar_note(const struct similar *s, const char *pattern, struct strbuf *notes);

#endif
