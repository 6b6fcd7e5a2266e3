/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backtraces as printed by SystemTap scripts: the frames of a stack, leaf first, one per line, then
 * a line with its count. Frames have one of stap's forms:
 *
 *	0xADDR : NAME+0xOFF/0xSIZE [MODULE]       print_backtrace, print_stack, print_syms
 *	0xADDR : NAME+0xOFF/0xSIZE at FILE:LINE [MODULE]        print_backtrace_fileline
 *	0xADDR [MODULE+0xOFF/0xSIZE]              (or with " : 0xADDR" after the first)
 *	NAME+0xOFF [MODULE], NAME+0xOFF, 0xADDR   sprint_backtrace, print_ubacktrace_brief
 *	0xADDR 0xADDR 0xADDR …                    backtrace(): a whole stack in one line
 *
 * Size, module and offset are optional, and " (inexact)" may follow. \xHH is decoded as in word.h.
 * Blank lines and lines that begin with "WARNING:" or "ERROR:" are not frames. A frame whose
 * address has its top bit set, or whose module is [kernel], is FRAME_KERNEL, and its module keeps
 * the brackets; all other frames are FRAME_USER. For frames without a name and for notes, see
 * notes.h. If stap truncated a string, its stack gets the note [truncated] at that place; if stap's
 * unwinder failed, its stack gets the note [broken].
 */
#include "folded.h"
#include "lib/lines.h"
#include "lib/word.h"
#include "notes.h"
#include "stackline.h"
#include "text_reader.h"

#include <inttypes.h>
#include <string.h>

enum { BAD_COUNT = NOTES_COMMON, STAP_ERROR, STAP_WARNING, HEADING };

static const struct text_note_kind notes[] = {
	{"stacks left out: their count is not an unsigned integer", NOTE_LOST},
	{"stap errors", NOTE_PART},
	{"stap warnings", NOTE_INFO},
	{"lines left out: not part of a stack", NOTE_INFO},
};

static void push(struct text_reader *r, uint32_t entry)
{
	if (!r->stacks.nr)
		r->stack_line = r->line;
	text_push(r, entry);
}

static void set_name(struct text_reader *r, const char *name, size_t len)
{
	strbuf_reset(&r->name);
	strbuf_add(&r->name, name, len);
	r->name.len = word_decode(r->name.buf, len);
	r->name.buf[r->name.len] = '\0';
}

/*
 * Returns "file.c:12", without the folder, in the profile's names, or 0 if it is unknown or not
 * requested.
 */
static uint32_t source_of(struct text_reader *r, const struct stackline *l)
{
	if (!r->in->options->sources || !l->source_len)
		return 0;
	const char *slash = memrchr(l->source, '/', l->source_len);
	const char *file = slash ? slash + 1 : l->source;
	size_t len = (size_t)(l->source + l->source_len - file);

	if (*file == ':' || !memcmp(file + len - 2, ":0", 2))
		return 0;
	set_name(r, file, len);
	return strpool_add(&r->p->names, r->name.buf, r->name.len);
}

/* Sets r->module. A kernel module keeps its brackets. */
static void set_module(struct text_reader *r, const struct stackline *l, enum frame_kind kind)
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

static bool parse_frame(struct text_reader *r, const char *text, size_t len, uint32_t *entry)
{
	struct stackline l;

	if (stackline_is_list(text, len))
		return false;
	stackline_parse(&l, text, len);

	bool broken = l.inexact && l.has_address && !l.address && !l.name_len;
	bool kernel = l.address >> 63 || (l.module_len == 6 && !memcmp(l.module, "kernel", 6));
	struct frame frame = {.kind = kernel ? FRAME_KERNEL : FRAME_USER};
	uint32_t flags = (l.cut ? ENTRY_CUT : 0) | (l.inexact ? ENTRY_BROKEN : 0);

	if (broken) {
		*entry = stacks_note(&r->stacks, "[broken]") | flags;
		return true;
	}
	set_module(r, &l, frame.kind);
	if (l.name_len)
		set_name(r, l.name, l.name_len);
	else
		set_unnamed(&r->name, r->module.buf, r->module.len);
	if (l.name_len && name_is_note(r->name.buf, r->name.len)) {
		frame.kind = FRAME_NOTE;
		frame.label = note_label(r->name.buf, r->name.len);
		flags |= ENTRY_UNCOUNTED;
		flags |= (note_is_broken(r->name.buf) ? ENTRY_BROKEN : 0) |
			 (note_is_cut(r->name.buf) ? ENTRY_MARKED : 0);
	} else if (!l.name_len || name_is_unnamed(r->name.buf, r->name.len)) {
		flags |= ENTRY_UNNAMED;
	}
	frame.name = strpool_add(&r->p->names, r->name.buf, r->name.len);
	frame.module = strpool_add(&r->p->names, r->module.buf, r->module.len);
	if (!(flags & (ENTRY_UNCOUNTED | ENTRY_UNNAMED)))
		frame.source = source_of(r, &l);
	*entry = profile_add_frame(r->p, &frame) | flags;
	return true;
}

/*
 * Pushes a whole stack in one line. stap truncates strings at a power of two minus the NUL, and
 * backtrace() adds a blank after every address. A line of such a length that does not end in a
 * blank ends inside an address.
 */
static void push_list(struct text_reader *r, const char *s, const char *end, bool cut)
{
	uint64_t address;

	while (s < end) {
		size_t n = stackline_address(s, end, &address);

		s += n;
		if (!n || (s == end && cut))
			break;
		push(r, ENTRY_UNNAMED |
				profile_frame(r->p, address >> 63 ? FRAME_KERNEL : FRAME_USER,
					"[unknown]", 9, NULL, 0));
		while (s < end && is_blank(*s))
			s++;
	}
	if (s < end || cut)
		push(r, stacks_note(&r->stacks, "[truncated]"));
}

static void reject_count(struct text_reader *r, const char *text, size_t len)
{
	text_note(r, BAD_COUNT, r->line, text, len);
	stacks_forget(&r->stacks);
}

static bool all_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

/* Returns false if the line is not a number, not even an invalid one. */
static bool read_number(struct text_reader *r, const char *text, size_t len)
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

static bool read_message(struct text_reader *r, const char *line, size_t len)
{
	if (*line != 'W' && *line != 'E')
		return false;
	if (len >= 8 && !memcmp(line, "WARNING:", 8))
		text_note(r, STAP_WARNING, r->line, line, len);
	else if (len >= 6 && !memcmp(line, "ERROR:", 6))
		text_note(r, STAP_ERROR, r->line, line, len);
	else
		return false;
	return true;
}

/*
 * Reads a line that tools print when they begin or end, or the terminal's "^C". No function has
 * such a name.
 */
static bool read_heading(struct text_reader *r, const char *line, size_t len)
{
	static const char hint[] = "Ctrl-C to end";

	if (!strchr("TSD^", *line))
		return false;
	if ((begins_with(line, len, "Tracing ") || begins_with(line, len, "Sampling ")) &&
		memmem(line, len, hint, strlen(hint))) {
		text_note(r, HEADING, r->line, line, len);
		return true;
	}
	return (len == 2 && !memcmp(line, "^C", 2)) ||
	       (len == 12 && !memcmp(line, "Detaching...", 12));
}

static void read_line(struct text_reader *r, const char *line, size_t len)
{
	const char *text = line, *end = line + len;
	size_t n = len;
	uint32_t entry;

	text_trim(&text, &n);
	if (!n || text_is_comment(line, len) || read_number(r, text, n) ||
		read_message(r, line, len) || read_heading(r, line, len))
		return;
	if (text_entry(r, text, n, parse_frame, &entry))
		push(r, entry);
	else
		push_list(r, text, text + n, len >= 127 && !(len & (len + 1)) && text + n == end);
}

static void read_too_long(struct text_reader *r)
{
	text_note(r, NOTE_TOO_LONG, r->line, "", 0);
	push(r, stacks_note(&r->stacks, "[unreadable]"));
}

static int end_input(struct text_reader *r)
{
	struct text_input *in = r->in;
	int ret;

	if (r->stacks.nr) {
		strbuf_addf(in->notes,
			"the last stack (line %" PRIu64 ") is left out: no count follows\n",
			r->stack_line);
		r->p->account.lost[LOST_UNREADABLE]++;
	}
	ret = text_end(r);
	return ret < 0 ? ret : ret || r->stacks.nr;
}

static int stacktext_read(struct text_input *in)
{
	struct text_reader r;
	const char *line;
	size_t len;
	int ret;

	text_begin(&r, in, notes, ARRAY_LEN(notes));
	while (text_next(&r, &line, &len)) {
		if (r.cut)
			read_too_long(&r);
		else
			read_line(&r, line, len);
	}
	ret = end_input(&r);
	text_release(&r);
	return ret;
}

static bool stacktext_is_line(const char *line, size_t len)
{
	uint64_t ignored;

	text_trim(&line, &len);
	if (!len)
		return false;
	if (parse_u64(line, len, 10, &ignored) || stackline_is_list(line, len))
		return true;
	return !folded_has_weight(line, len) &&
	       (memmem(line, len, "+0x", 3) || begins_with(line, len, "0x"));
}

/*
 * Whether the line may be a frame or a message. A frame has few blanks before its arguments or its
 * module, as in "operator new(unsigned long) [a.so]".
 */
static bool stacktext_is_part(const char *line, size_t len)
{
	enum { BLANKS_MAX = 2 };
	size_t blanks = 0;

	text_trim(&line, &len);
	for (size_t i = 0; i < len && !strchr("([<", line[i]); i++)
		blanks += is_blank(line[i]);
	return blanks <= BLANKS_MAX || begins_with(line, len, "WARNING:") ||
	       begins_with(line, len, "ERROR:");
}

const struct text_format stacktext_format = {
	.name = "stap",
	.is_line = stacktext_is_line,
	.is_part = stacktext_is_part,
	.votes = 1,
	.read = stacktext_read,
};
