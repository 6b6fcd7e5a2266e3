/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps as printed by bpftrace(8), whose keys contain stacks and whose values are numbers:
 *
 *	@NAME[KEY, KEY,
 *	    NAME+OFF             a stack, leaf first; OFF is decimal; or an address
 *		ADDRESS NAME+OFF (MODULE)    a frame in stack mode perf
 *	, KEY]: VALUE
 *
 * If a key has two stacks, the first one is the kernel's, as in @[kstack, ustack], unless only the
 * second one ends at a kernel entry point. A single stack is the kernel's if it ends at a kernel
 * entry point. The other parts of the key become the root frame (FRAME_TASK) as they are printed.
 * The reader skips values that are not unsigned integers, such as histograms, maps without stacks,
 * and other output of the script.
 */
#include "lib/lines.h"
#include "lib/pattern.h"
#include "notes.h"
#include "perfline.h"
#include "stackline.h"
#include "text_reader.h"

#include <string.h>

enum { OTHER_MAP = NOTES_COMMON, BAD_VALUE, NO_STACKS, UNENDED, UNREAD };

static const struct text_note_kind notes[] = {
	{NULL, NOTE_INFO},
	{"stacks left out: their value is not an unsigned integer", NOTE_LOST},
	{"map entries left out: no stack in the key", NOTE_INFO},
	{"map entries left out: the key does not end", NOTE_LOST},
	{"lines left out: not part of a map", NOTE_INFO},
};

struct bpftrace_reader {
	struct text_reader text;    /* its stack_line is the first line of the key */
	struct strbuf map;          /* name of the selected map; empty if none is selected yet */
	bool inside;                /* in a key of the map CURRENT */
	struct strbuf current, key; /* key holds its parts other than stacks */
	size_t first_end;           /* end of the first of several stacks; 0 if there is only one */
	bool in_stack;
};

/* Returns the length without a trailing "+12". */
static size_t without_offset(const char *s, size_t len)
{
	size_t n = len;

	while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return n > 1 && n < len && s[n - 1] == '+' ? n - 1 : len;
}

static bool is_address(const char *s, size_t len, uint64_t *address)
{
	return begins_with(s, len, "0x") && stackline_address(s, s + len, address) == len;
}

static bool parse_frame(struct text_reader *r, const char *text, size_t len, uint32_t *entry)
{
	struct perf_frame f;
	uint64_t address;
	bool unnamed;

	if (!memchr(text, ' ', len) || !perfline_frame(&f, text, len))
		f = (struct perf_frame){.name = text, .name_len = len};
	address = f.address;
	unnamed = !f.name_len || is_address(f.name, f.name_len, &address);

	enum frame_kind kind = address >> 63 ? FRAME_KERNEL : FRAME_USER;

	strbuf_reset(&r->name);
	if (unnamed)
		set_unnamed(&r->name, f.module_len ? f.module : "", f.module_len);
	else
		strbuf_add(&r->name, f.name, without_offset(f.name, f.name_len));
	*entry = profile_frame(r->p, kind, r->name.buf, r->name.len, f.module, f.module_len) |
		 (unnamed ? ENTRY_UNNAMED : 0);
	return true;
}

static void read_frame(struct bpftrace_reader *r, const char *text, size_t len)
{
	uint32_t entry;

	if (!text_entry(&r->text, text, len, parse_frame, &entry))
		return;
	if (!r->in_stack && !r->first_end)
		r->first_end = r->text.stacks.nr;
	r->in_stack = true;
	text_push(&r->text, entry);
}

static void reverse(uint32_t *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = frame;
	}
}

/* Moves the first stack behind the other stacks. */
static void rotate_stacks(struct bpftrace_reader *r)
{
	struct stacks *s = &r->text.stacks;

	reverse(s->frames, r->first_end);
	reverse(s->frames + r->first_end, s->nr - r->first_end);
	reverse(s->frames, s->nr);
	r->first_end = s->nr - r->first_end;
}

/* Makes the kernel stack the leaf part, whichever stack comes first in the key. */
static void set_kinds(struct bpftrace_reader *r)
{
	struct stacks *s = &r->text.stacks;
	bool last_is_kernel = s->nr && stacks_is_entry(s, s->nr - 1);

	if (!r->first_end) {
		r->first_end = last_is_kernel ? s->nr : 0;
	} else if (last_is_kernel && !stacks_is_entry(s, r->first_end - 1)) {
		rotate_stacks(r);
	}
	stacks_set_kind(s, 0, r->first_end, FRAME_KERNEL);
	stacks_set_kind(s, r->first_end, s->nr, FRAME_USER);
}

/* Returns the parts of the key that are not stacks. The text is in r->text.name. */
static struct task task_of(struct bpftrace_reader *r)
{
	const char *s = r->key.buf, *end = s + r->key.len;

	strbuf_reset(&r->text.name);
	while (s < end) {
		const char *comma = memmem(s, (size_t)(end - s), ", ", 2);
		size_t n = (size_t)((comma ? comma : end) - s);

		if (n && r->text.name.len)
			strbuf_adds(&r->text.name, ", ");
		strbuf_add(&r->text.name, s, n);
		s += n + (comma ? 2 : 0);
	}
	return (struct task){.comm = r->text.name.buf, .len = r->text.name.len};
}

/* By default, the first map that has a key with a stack is selected. */
static bool is_selected_map(struct bpftrace_reader *r)
{
	const char *name = r->text.in->options->event;

	if (!r->map.len && (!name || pattern_or_name_matches(name, r->current.buf, r->current.len)))
		strbuf_add(&r->map, r->current.buf, r->current.len);
	return r->map.len == r->current.len && !memcmp(r->map.buf, r->current.buf, r->map.len);
}

/* bpftrace prints nothing between the commas for an empty stack. */
static bool has_empty_stack(const struct strbuf *key)
{
	return !key->len || begins_with(key->buf, key->len, ", ") || strstr(key->buf, ", , ") ||
	       ends_with(key->buf, ", ");
}

static void end_key(struct bpftrace_reader *r, const char *value, size_t len)
{
	uint64_t weight;

	r->inside = false;
	if (!r->text.stacks.nr && !has_empty_stack(&r->key)) {
		text_note(&r->text, NO_STACKS, r->text.stack_line, r->current.buf, r->current.len);
	} else if (!is_selected_map(r)) {
		text_note(&r->text, OTHER_MAP, r->text.stack_line, r->current.buf, r->current.len);
	} else if (!parse_u64(value, len, 10, &weight)) {
		text_note(&r->text, BAD_VALUE, r->text.line, value, len);
	} else {
		struct task task = task_of(r);
		uint32_t root = task.len ? stacks_task(&r->text.stacks, &task, 0) : 0;

		set_kinds(r);
		stacks_add(&r->text.stacks, root, weight);
	}
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '@';
}

/* Returns the length of "@NAME[" at the start of the line, or 0 if the line begins otherwise. */
static size_t opening_length(const char *line, size_t len)
{
	size_t n = 1;

	if (!len || *line != '@')
		return 0;
	while (n < len && is_name(line[n]))
		n++;
	return n < len && line[n] == '[' ? n + 1 : 0;
}

/* Returns the "]: VALUE" at the end of the line, or NULL if there is none. */
static const char *find_closing(const char *line, const char *end)
{
	const char *bracket = memrchr(line, ']', (size_t)(end - line));

	return bracket && end - bracket > 1 && bracket[1] == ':' ? bracket : NULL;
}

static void note_unended(struct bpftrace_reader *r)
{
	text_note(&r->text, UNENDED, r->text.stack_line, r->current.buf, r->current.len);
}

/* Reads a line of a key, or the rest of a line, that is not a frame. */
static void read_key(struct bpftrace_reader *r, const char *s, const char *end)
{
	const char *close = find_closing(s, end);

	r->in_stack = false;
	strbuf_add(&r->key, s, (size_t)((close ? close : end) - s));
	if (!close && r->key.len > LINES_MAX) {
		note_unended(r);
		r->inside = false;
	}
	if (!close)
		return;
	s = close + 2;
	while (s < end && is_blank(*s))
		s++;
	end_key(r, s, (size_t)(end - s));
}

static void begin_key(struct bpftrace_reader *r, const char *line, size_t n)
{
	r->inside = true;
	r->in_stack = false;
	r->first_end = 0;
	stacks_forget(&r->text.stacks);
	r->text.stack_line = r->text.line;
	strbuf_reset(&r->key);
	strbuf_reset(&r->current);
	strbuf_add(&r->current, line, n - 1);
}

/* Frames are indented by a tab or four blanks. */
static bool is_frame(const char *line, size_t len)
{
	return len > 1 && (*line == '\t' || begins_with(line, len, "    "));
}

/*
 * Reads a line between maps: "Attaching 2 probes...", a bar of a histogram, other output of a
 * script.
 */
static void read_outside(struct bpftrace_reader *r, const char *line, size_t len)
{
	static const char attaching[] = "Attaching ";

	if (*line == '@')
		text_note(&r->text, NO_STACKS, r->text.line, line, len);
	else if (!begins_with(line, len, attaching) && line[len - 1] != '|')
		text_note(&r->text, UNREAD, r->text.line, line, len);
}

static void read_line(struct bpftrace_reader *r, const char *line, size_t len)
{
	const char *text = line, *end = line + len;
	size_t n = opening_length(line, len);

	while (text < end && is_blank(*text))
		text++;
	if (r->inside && !n && is_frame(line, len)) {
		read_frame(r, text, (size_t)(end - text));
	} else if (r->inside && !n) {
		read_key(r, line, end);
	} else if (n) {
		if (r->inside)
			note_unended(r);
		begin_key(r, line, n);
		read_key(r, line + n, end);
	} else if (text < end) {
		read_outside(r, text, (size_t)(end - text));
	}
}

static int end_input(struct bpftrace_reader *r)
{
	const char *name = r->text.in->options->event;
	struct strbuf others = STRBUF_INIT;
	int ret;

	if (r->inside)
		note_unended(r);
	strbuf_addf(&others, "stacks left out: in maps other than '%s' (select one with --event)",
		r->map.buf);
	if (r->map.len)
		text_note_write(&r->text.notes[OTHER_MAP], others.buf, r->text.in->notes);
	strbuf_release(&others);
	ret = text_end(&r->text);
	if (name && !r->map.len && ret >= 0)
		return fail(r->text.in->notes, "no map '%s' with stacks\n", name);
	return ret;
}

static int bpftrace_read(struct text_input *in)
{
	struct bpftrace_reader r = {.map = STRBUF_INIT, .current = STRBUF_INIT, .key = STRBUF_INIT};
	const char *line;
	size_t len;
	int ret;

	text_begin(&r.text, in, notes, ARRAY_LEN(notes));
	while (text_next(&r.text, &line, &len)) {
		if (r.text.cut) {
			text_note(&r.text, NOTE_TOO_LONG, r.text.line, "", 0);
			in->p->account.lost[LOST_UNREADABLE]++;
		} else {
			read_line(&r, line, len);
		}
	}
	ret = end_input(&r);
	text_release(&r.text);
	strbuf_release(&r.map);
	strbuf_release(&r.current);
	strbuf_release(&r.key);
	return ret;
}

static bool bpftrace_is_line(const char *line, size_t len)
{
	const char *close = find_closing(line, line + len);
	size_t n = opening_length(line, len);
	uint64_t ignored;

	if (n && !close)
		return n == len || line[len - 1] == ',';
	return close && (close == line || *line == ',' || n) && line + len - close > 3 &&
	       parse_u64(close + 3, (size_t)(line + len - close - 3), 10, &ignored);
}

/* Whether the line is a frame or another line of a key, another map, or a bar of a histogram. */
static bool bpftrace_is_part(const char *line, size_t len)
{
	return is_frame(line, len) || strchr("@,]", *line) || line[len - 1] == '|' ||
	       begins_with(line, len, "Attaching ");
}

const struct text_format bpftrace_format = {
	.name = "bpftrace",
	.is_line = bpftrace_is_line,
	.is_part = bpftrace_is_part,
	.votes = TEXT_SURE,
	.has_meta = true,
	.has_tasks = true,
	.read = bpftrace_read,
};
