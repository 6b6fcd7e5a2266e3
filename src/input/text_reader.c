/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_reader.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/word.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_MAX = 100 };

static const struct text_note_kind common[NOTES_COMMON] = {
	[NOTE_TOO_LONG] = {"lines too long for a frame", NOTE_PART},
	[NOTE_TOO_DEEP] = {"stacks truncated: too deep", NOTE_PART},
	[NOTE_UNENDED] = {NULL, NOTE_PART},
};

static const struct text_note_kind *kind_of(const struct text_reader *r, unsigned note)
{
	return note < NOTES_COMMON ? &common[note] : &r->kinds[note - NOTES_COMMON];
}

void text_begin(struct text_reader *r, struct text_input *in, const struct text_note_kind *kinds,
	unsigned nr_kinds)
{
	*r = (struct text_reader){
		.in = in,
		.p = in->p,
		.name = STRBUF_INIT,
		.module = STRBUF_INIT,
		.kinds = kinds,
		.nr_kinds = nr_kinds,
	};
	for (unsigned i = 0; i < NOTES_MAX; i++)
		r->notes[i] = (struct text_note){.text = STRBUF_INIT};
	memo_init(&r->frames);
	stacks_init(&r->stacks, in->p, in->options->tasks);
}

void text_release(struct text_reader *r)
{
	memo_release(&r->frames);
	stacks_release(&r->stacks);
	strbuf_release(&r->name);
	strbuf_release(&r->module);
	for (unsigned i = 0; i < NOTES_MAX; i++)
		strbuf_release(&r->notes[i].text);
}

static void note_unended(struct text_reader *r, const char *line, size_t len)
{
	text_trim(&line, &len);
	if (len)
		text_note(r, NOTE_UNENDED, r->line, line, len);
}

bool text_next(struct text_reader *r, const char **line, size_t *len)
{
	uint64_t too_long = r->in->lines->too_long;
	char *start;

	if (!lines_next(r->in->lines, &start, len))
		return false;
	*line = start;
	r->line++;
	r->cut = r->in->lines->too_long > too_long;
	if (r->in->lines->unended && !r->cut)
		note_unended(r, start, *len);
	return true;
}

bool text_entry(
	struct text_reader *r, const char *text, size_t len, text_parse *parse, uint32_t *entry)
{
	uint64_t hash = hash_text(text, len);

	if (memo_get(&r->frames, text, len, hash, entry))
		return true;
	if (!parse(r, text, len, entry))
		return false;
	memo_put(&r->frames, text, len, hash, *entry);
	return true;
}

void text_push(struct text_reader *r, uint32_t entry)
{
	if (!stacks_push(&r->stacks, entry))
		text_note(r, NOTE_TOO_DEEP, r->stack_line, "", 0);
}

void text_note(struct text_reader *r, unsigned kind, uint64_t line, const char *text, size_t len)
{
	struct text_note *note = &r->notes[kind];

	if (kind_of(r, kind)->effect == NOTE_LOST)
		r->p->account.lost[LOST_UNREADABLE]++;
	if (note->nr++)
		return;
	note->line = line;
	message_add(&note->text, text, len < SHOWN_MAX ? len : SHOWN_MAX);
}

void text_note_write(const struct text_note *note, const char *what, struct strbuf *out)
{
	if (!note->nr)
		return;
	strbuf_addf(out, "%s: %" PRIu64 ", first in line %" PRIu64, what, note->nr, note->line);
	if (note->text.len)
		strbuf_addf(out, ": '%s'", note->text.buf);
	strbuf_addch(out, '\n');
}

static void write_unended(const struct text_reader *r)
{
	const struct text_note *note = &r->notes[NOTE_UNENDED];

	if (note->nr)
		strbuf_addf(r->in->notes,
			"the last line has no newline, the text may be truncated: '%s'\n",
			note->text.buf);
}

int text_end(struct text_reader *r)
{
	unsigned nr = NOTES_COMMON + r->nr_kinds;
	const struct lines *lines = r->in->lines;
	bool part = false;

	for (unsigned i = 0; i < nr; i++) {
		unsigned note = (i + NOTES_COMMON) % nr; /* common notes come last */

		part |= r->notes[note].nr && kind_of(r, note)->effect != NOTE_INFO;
		if (kind_of(r, note)->text)
			text_note_write(&r->notes[note], kind_of(r, note)->text, r->in->notes);
	}
	write_unended(r);
	r->in->several = r->stacks.several;
	if (lines->error)
		return fail(r->in->notes, "cannot read: %s\n", strerror(lines->error));
	return part;
}
