/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common part of the readers of text formats: lines, a cache of parsed frames, the current stack,
 * and notes on problems, with their number and the line of the first one.
 */
#ifndef INPUT_TEXT_READER_H
#define INPUT_TEXT_READER_H

#include "lib/memo.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "stacks.h"
#include "text_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum note_effect {
	NOTE_INFO, /* nothing is missing */
	NOTE_PART, /* the input was not read whole */
	NOTE_LOST, /* stacks are missing; also counted as LOST_UNREADABLE */
};

/* Notes of all readers. The notes of each reader follow. */
enum { NOTE_TOO_LONG, NOTE_TOO_DEEP, NOTE_UNENDED, NOTES_COMMON, NOTES_MAX = 8 };

struct text_note {
	uint64_t nr, line; /* number of occurrences; line of the first one */
	struct strbuf text;
};

struct text_reader {
	struct text_input *in;
	struct profile *p; /* the same as in->p */
	struct stacks stacks;
	struct memo frames;         /* maps texts to entries */
	struct strbuf name, module; /* for parse functions to use */

	uint64_t line;       /* the number of the current line */
	bool cut;            /* the line was too long, and is truncated */
	uint64_t stack_line; /* the first line of the current stack, set by the reader */

	const struct text_note_kind {
		const char *text; /* NULL if the reader writes the note itself */
		enum note_effect effect;
	} * kinds;
	unsigned nr_kinds;
	struct text_note notes[NOTES_MAX];
};

/* KINDS are the reader's own notes, numbered from NOTES_COMMON, in output order. */
void text_begin(struct text_reader *r, struct text_input *in, const struct text_note_kind *kinds,
	unsigned nr_kinds);
void text_release(struct text_reader *r);

/* Reads the next line. Returns false at the end. Notes a last line without a newline. */
bool text_next(struct text_reader *r, const char **line, size_t *len);

/*
 * Finds the entry (stacks.h) of TEXT in the cache, or parses TEXT with PARSE. Returns false if
 * PARSE finds that TEXT is not a frame. LEN must be above 0.
 */
typedef bool text_parse(struct text_reader *r, const char *text, size_t len, uint32_t *entry);
bool text_entry(
	struct text_reader *r, const char *text, size_t len, text_parse *parse, uint32_t *entry);

/* Calls stacks_push, and adds a note if the stack is too deep. */
void text_push(struct text_reader *r, uint32_t entry);

/* Counts a note of KIND at LINE. TEXT is shown for the first one only. */
void text_note(struct text_reader *r, unsigned kind, uint64_t line, const char *text, size_t len);

/* Appends "WHAT: 3, first in line 12: 'text'" and a newline. Appends nothing if the count is 0. */
void text_note_write(const struct text_note *note, const char *what, struct strbuf *out);

/* Writes the notes. Returns 0 if all was read, 1 if a part was read, or -1 if reading failed. */
int text_end(struct text_reader *r);

/* Removes blanks from both ends. */
static inline void text_trim(const char **s, size_t *len)
{
	while (*len && is_blank(**s)) {
		++*s;
		--*len;
	}
	while (*len && is_blank((*s)[*len - 1]))
		--*len;
}

#endif
