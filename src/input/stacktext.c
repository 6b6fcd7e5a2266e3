/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacktext.h"
#include "folded.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/memo.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "said.h"
#include "stackline.h"
#include "stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stacktext_reader {
	struct profile *p;
	const struct stacktext_options *options;
	struct memo frames; /* line → its worth */
	struct strbuf name, module, source;

	struct stacks stacks;
	uint64_t line, stack_line; /* where the stack began */
	struct said bad_counts, warnings, errors, too_long, too_deep;
};

static void push(struct stacktext_reader *r, uint32_t worth)
{
	if (!r->stacks.nr)
		r->stack_line = r->line;
	if (!stacks_push(&r->stacks, worth))
		said_add(&r->too_deep, r->stack_line, "", 0);
}

static void set_name(struct stacktext_reader *r, const char *name, size_t len)
{
	strbuf_reset(&r->name);
	strbuf_add(&r->name, name, len);
	r->name.len = word_decode(r->name.buf, len);
	r->name.buf[r->name.len] = '\0';
}

/* The number of "file.c:12", without the folder; 0 where the line is not known or not wanted. */
static uint32_t source_of(struct stacktext_reader *r, const struct stackline *l)
{
	if (!r->options->sources || !l->source_len)
		return 0;
	const char *slash = memrchr(l->source, '/', l->source_len);
	const char *file = slash ? slash + 1 : l->source;
	size_t len = (size_t)(l->source + l->source_len - file);

	if (*file == ':' || !memcmp(file + len - 2, ":0", 2))
		return 0;
	strbuf_reset(&r->source);
	strbuf_add(&r->source, file, len);
	r->source.len = word_decode(r->source.buf, len);
	return strpool_add(&r->p->names, r->source.buf, r->source.len);
}

/* Sets r->module; a kernel module keeps its brackets. */
static void set_module(struct stacktext_reader *r, const struct stackline *l, enum frame_kind kind)
{
	bool kernel = kind == FRAME_KERNEL && l->module_len;

	strbuf_reset(&r->module);
	if (kernel)
		strbuf_addch(&r->module, '[');
	strbuf_add(&r->module, l->module, l->module_len);
	r->module.len = word_decode(r->module.buf, r->module.len);
	if (kernel)
		strbuf_addch(&r->module, ']');
}

static uint32_t worth_of(struct stacktext_reader *r, const char *text, size_t len)
{
	struct stackline l;

	stackline_parse(&l, text, len);

	bool broken = l.inexact && l.has_address && !l.address && !l.name_len;
	bool kernel = l.address >> 63 || (l.module_len == 6 && !memcmp(l.module, "kernel", 6));
	enum frame_kind kind = kernel ? FRAME_KERNEL : FRAME_USER;
	uint32_t worth = (l.cut ? WORTH_CUT : 0) | (l.inexact ? WORTH_BROKEN : 0);

	if (broken)
		return stacks_note(&r->stacks, "[broken]") | worth;
	set_module(r, &l, kind);
	if (l.name_len)
		set_name(r, l.name, l.name_len);
	else
		set_unnamed(&r->name, r->module.buf, r->module.len);
	if (l.name_len && name_is_note(r->name.buf, r->name.len)) {
		kind = FRAME_NOTE;
		worth |= WORTH_UNCOUNTED;
		worth |= (note_is_broken(r->name.buf) ? WORTH_BROKEN : 0) |
			 (note_is_cut(r->name.buf) ? WORTH_MARKED : 0);
	} else if (!l.name_len || name_is_unnamed(r->name.buf, r->name.len)) {
		worth |= WORTH_UNNAMED;
	}
	struct frame frame = {
		.name = strpool_add(&r->p->names, r->name.buf, r->name.len),
		.module = strpool_add(&r->p->names, r->module.buf, r->module.len),
		.source = worth & (WORTH_UNCOUNTED | WORTH_UNNAMED) ? 0 : source_of(r, &l),
		.kind = kind,
		.label = kind == FRAME_NOTE ? note_label(r->name.buf, r->name.len) : LABEL_NONE,
	};

	return profile_add_frame(r->p, &frame) | worth;
}

/*
 * A whole stack in one line. stap's strings are cut at a power of two less the NUL, and backtrace()
 * puts a blank behind every address: a line of just that length without the blank ends inside an
 * address.
 */
static void push_list(struct stacktext_reader *r, const char *s, const char *end, bool cut)
{
	uint64_t address;

	while (s < end) {
		size_t n = stackline_address(s, end, &address);

		s += n;
		if (!n || (s == end && cut))
			break;
		push(r, WORTH_UNNAMED |
				profile_frame(r->p, address >> 63 ? FRAME_KERNEL : FRAME_USER,
					"[unknown]", 9, NULL, 0));
		while (s < end && is_blank(*s))
			s++;
	}
	if (s < end || cut)
		push(r, stacks_note(&r->stacks, "[truncated]"));
}

static void reject_count(struct stacktext_reader *r, const char *text, size_t len)
{
	said_add(&r->bad_counts, r->line, text, len);
	r->p->account.lost[LOST_UNREADABLE]++;
	stacks_forget(&r->stacks);
}

static bool all_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

/* True when the line was a number, whether it could be used or not. */
static bool read_number(struct stacktext_reader *r, const char *text, size_t len)
{
	uint64_t weight;

	if (*text > '9')
		return false;
	if (all_digits(text, len)) {
		if (parse_u64(text, len, 10, &weight))
			stacks_add(&r->stacks, 0, weight);
		else
			reject_count(r, text, len);
		return true;
	}
	if ((text[0] == '0' && text[1] == 'x') || stackline_is_list(text, len) ||
		!stackline_is_number(text, len))
		return false;
	reject_count(r, text, len);
	return true;
}

static bool read_message(struct stacktext_reader *r, const char *line, size_t len)
{
	if (*line != 'W' && *line != 'E')
		return false;
	if (len >= 8 && !memcmp(line, "WARNING:", 8))
		said_add(&r->warnings, r->line, line, len);
	else if (len >= 6 && !memcmp(line, "ERROR:", 6))
		said_add(&r->errors, r->line, line, len);
	else
		return false;
	return true;
}

static void read_line(struct stacktext_reader *r, const char *line, size_t len)
{
	const char *text = line, *end = line + len;
	uint32_t worth;

	while (text < end && is_blank(*text))
		text++;
	while (end > text && is_blank(end[-1]))
		end--;
	size_t n = (size_t)(end - text);

	if (!n || read_number(r, text, n) || read_message(r, line, len))
		return;
	uint64_t hash = hash_text(text, n);

	if (memo_get(&r->frames, text, n, hash, &worth)) {
		push(r, worth);
		return;
	}
	if (stackline_is_list(text, n)) {
		push_list(r, text, end, len >= 127 && !(len & (len + 1)) && end == line + len);
		return;
	}
	worth = worth_of(r, text, n);
	memo_put(&r->frames, text, n, hash, worth);
	push(r, worth);
}

static void read_too_long(struct stacktext_reader *r)
{
	said_add(&r->too_long, r->line, "", 0);
	push(r, stacks_note(&r->stacks, "[unreadable]"));
}

static void end_input(struct stacktext_reader *r, const struct lines *lines, struct strbuf *notes)
{
	if (r->stacks.nr) {
		strbuf_addf(notes,
			"the last stack (line %" PRIu64 ") has no count and is left out\n",
			r->stack_line);
		r->p->account.lost[LOST_UNREADABLE]++;
	} else if (lines->unended) {
		strbuf_adds(notes, "the last line has no end: the text may be cut\n");
	}
	said_tell(&r->bad_counts, "stacks left out because their count is no unsigned integer",
		notes);
	said_tell(&r->too_long, "lines too long for a frame", notes);
	said_tell(&r->too_deep, "stacks cut because they are too deep", notes);
	said_tell(&r->errors, "errors of stap", notes);
	said_tell(&r->warnings, "warnings of stap", notes);
	if (lines->error)
		strbuf_addf(notes, "cannot read: %s\n", strerror(lines->error));
}

static void reader_init(
	struct stacktext_reader *r, struct profile *p, const struct stacktext_options *options)
{
	*r = (struct stacktext_reader){
		.p = p,
		.options = options,
		.name = STRBUF_INIT,
		.module = STRBUF_INIT,
		.source = STRBUF_INIT,
		.bad_counts = SAID_INIT,
		.warnings = SAID_INIT,
		.errors = SAID_INIT,
		.too_long = SAID_INIT,
		.too_deep = SAID_INIT,
	};
	memo_init(&r->frames);
	stacks_init(&r->stacks, p);
}

static void reader_release(struct stacktext_reader *r)
{
	memo_release(&r->frames);
	strbuf_release(&r->name);
	strbuf_release(&r->module);
	strbuf_release(&r->source);
	said_release(&r->bad_counts);
	said_release(&r->warnings);
	said_release(&r->errors);
	said_release(&r->too_long);
	said_release(&r->too_deep);
	stacks_release(&r->stacks);
}

int stacktext_read(struct profile *p, struct lines *lines, const struct stacktext_options *options,
	struct strbuf *notes)
{
	struct stacktext_reader r;
	uint64_t too_long = 0;
	char *line;
	size_t len;

	reader_init(&r, p, options);
	while (lines_next(lines, &line, &len)) {
		r.line++;
		if (lines->too_long > too_long) {
			read_too_long(&r);
			too_long = lines->too_long;
		} else {
			read_line(&r, line, len);
		}
	}
	end_input(&r, lines, notes);

	bool part = r.stacks.nr || lines->unended || r.bad_counts.nr || r.too_long.nr ||
		    r.too_deep.nr || r.errors.nr;

	reader_release(&r);
	return lines->error ? -1 : part;
}
