/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folded.h"
#include "lib/lines.h"
#include "lib/word.h"
#include "notes.h"
#include "stack_account.h"
#include "stack_queue.h"
#include "text_reader.h"

#include <stdlib.h>
#include <string.h>

/* A frame of the previous line. The frames of a common prefix are not looked up again. */
struct path {
	uint32_t end;                 /* offset in the line after the frame's last byte */
	uint32_t frame;               /* number of the frame, or 0 for a separator */
	uint32_t depth;               /* number of frames so far */
	enum frame_kind kind;         /* kind of the following frames without a suffix */
	bool dash;                    /* a separator, or a frame named like one */
	struct stack_account account; /* of the frame and its callers */
};

struct folded_reader {
	struct text_reader text;
	unsigned scale; /* weights are counted in units of 1/scale */
	double carry;   /* remainder of the previous weights, below 1 */
	struct profile *p;
	struct stack_queue stacks;
	struct strbuf before;
	struct path *path;
	size_t nr, alloc;
};

enum { NO_WEIGHT = NOTES_COMMON, LINE_TOO_LONG, FRACTION };

static const struct text_note_kind line_notes[] = {
	{"lines left out: not a stack followed by a weight, which is a number of 0 or more",
		NOTE_LOST},
	{"lines left out: longer than 1 MiB", NOTE_LOST},
	{NULL, NOTE_INFO},
};

enum frame_kind folded_kind(const char *s, size_t *len)
{
	static const enum frame_kind kinds[] = {FRAME_KERNEL, FRAME_INLINE, FRAME_JIT, FRAME_WAKER};

	if (*len < 5 || s[*len - 1] != ']')
		return FRAME_USER;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *suffix = frame_kind_suffix(kinds[i]);
		size_t n = strlen(suffix);

		if (!memcmp(s + *len - n, suffix, n)) {
			*len -= n;
			return kinds[i];
		}
	}
	return FRAME_USER;
}

/* Returns the entry (stacks.h) of a frame. */
static uint32_t entry_of(const struct profile *p, uint32_t frame)
{
	enum frame_kind kind = p->frames[frame].kind;

	if (kind == FRAME_NOTE || kind == FRAME_INLINE)
		return frame | ENTRY_UNCOUNTED;
	return frame | (frame_is_unnamed(p, frame) ? ENTRY_UNNAMED : 0);
}

static bool parse_frame(struct text_reader *r, const char *s, size_t len, uint32_t *entry)
{
	size_t n = len;
	enum frame_kind kind = folded_kind(s, &n);
	uint32_t frame;

	strbuf_reset(&r->name);
	strbuf_add(&r->name, s, n);
	n = word_decode(r->name.buf, n);
	if (kind == FRAME_USER && name_is_note(r->name.buf, n))
		frame = note_frame(r->p, r->name.buf, n);
	else
		frame = profile_frame(r->p, kind, r->name.buf, n, NULL, 0);
	*entry = entry_of(r->p, frame);
	return true;
}

static uint32_t parse_entry(struct folded_reader *r, const char *s, size_t len)
{
	static const char unknown[] = "[unknown]";
	uint32_t entry = 0;

	if (len)
		text_entry(&r->text, s, len, parse_frame, &entry);
	else
		parse_frame(&r->text, unknown, strlen(unknown), &entry);
	return entry;
}

/* Returns the length of the common prefix. */
static size_t common(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	for (uint64_t x, y; i + 8 <= len; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* Returns the number of frames at the start of STACK that are the same as in the previous line. */
static size_t shared_frames(const struct folded_reader *r, const char *stack, size_t len)
{
	size_t short_len = len < r->before.len ? len : r->before.len;
	size_t same = common(stack, r->before.buf, short_len);
	size_t n = r->nr;

	while (n && (r->path[n - 1].end > same ||
			    (r->path[n - 1].end < len && stack[r->path[n - 1].end] != ';')))
		n--;
	/* A dash is a separator or a frame, depending on what follows. */
	return n && r->path[n - 1].dash ? n - 1 : n;
}

/*
 * Whether a frame is a separator of bcc's tools, which stands between the stacks of a line. These
 * stacks are not empty, so the first and the last frame of a line are not separators.
 */
static bool is_dash(const char *s, size_t len)
{
	return len && len <= 2 && s[0] == '-' && s[len - 1] == '-';
}

/* Gives a frame without a suffix the kind that a separator of bcc's tools sets. */
static uint32_t set_kind(struct profile *p, uint32_t entry, enum frame_kind kind)
{
	struct frame frame = p->frames[entry & ENTRY_FRAME];

	if (frame.kind != FRAME_USER)
		return entry;
	frame.kind = kind;
	return entry_of(p, profile_add_frame(p, &frame));
}

static void count_frame(struct stack_account *account, const struct profile *p, uint32_t entry)
{
	if (entry & ENTRY_UNCOUNTED) {
		stack_account_add_frame(account, p, entry & ENTRY_FRAME);
		return;
	}
	if (!account->outermost)
		account->outermost = entry & ENTRY_FRAME;
	account->unnamed += (entry & ENTRY_UNNAMED) != 0;
	account->named += !(entry & ENTRY_UNNAMED);
}

static void push_frame(struct folded_reader *r, struct path *next, const char *s, size_t len)
{
	uint32_t entry = parse_entry(r, s, len);

	if (next->kind != FRAME_USER)
		entry = set_kind(r->p, entry, next->kind);
	next->frame = entry & ENTRY_FRAME;
	next->depth++;
	count_frame(&next->account, r->p, entry);
}

static void push(struct folded_reader *r, const char *s, size_t len, size_t end, bool last)
{
	struct path next = {0};

	if (r->nr)
		next = r->path[r->nr - 1];
	next.end = (uint32_t)end;
	next.frame = 0;
	next.dash = is_dash(s, len);
	if (!next.dash || !r->nr || last)
		push_frame(r, &next, s, len);
	else if (next.kind != FRAME_WAKER)
		next.kind = len == 1 ? FRAME_KERNEL : FRAME_WAKER;
	ALLOC_GROW(r->path, r->nr, r->alloc);
	r->path[r->nr++] = next;
}

static void add_stack(struct folded_reader *r, const char *stack, size_t len, uint64_t weight)
{
	size_t at = 0;

	r->nr = shared_frames(r, stack, len);
	if (r->nr)
		at = (size_t)r->path[r->nr - 1].end + 1;
	while (at <= len) {
		const char *semicolon = memchr(stack + at, ';', len - at);
		size_t end = semicolon ? (size_t)(semicolon - stack) : len;

		push(r, stack + at, end - at, end, end == len);
		at = end + 1;
	}
	strbuf_reset(&r->before);
	strbuf_add(&r->before, stack, len);

	account_add_stack(r->p, &r->path[r->nr - 1].account, weight);

	uint32_t *frames = stack_queue_add(&r->stacks, r->path[r->nr - 1].depth, weight);

	for (size_t i = 0; i < r->nr; i++)
		if (r->path[i].frame)
			*frames++ = r->path[i].frame;
}

/*
 * Reads a weight in units of 1/scale. The remainder is added to the next weight. Returns false if
 * the text is not a weight.
 */
static bool read_weight(struct folded_reader *r, const char *s, size_t len, uint64_t *weight)
{
	double value;

	if (parse_u64(s, len, 10, weight)) {
		if (r->scale > 1 && __builtin_mul_overflow(*weight, r->scale, weight))
			*weight = UINT64_MAX;
		return true;
	}
	if (!parse_decimal(s, len, &value))
		return false;
	value = value * r->scale + r->carry;
	if (!(value < (double)INT64_MAX))
		return false;
	text_note(&r->text, FRACTION, r->text.line, s, len);
	*weight = (uint64_t)(value + 1e-6);
	r->carry = value - (double)*weight;
	return true;
}

/* Splits the line at the last blank. Returns false if there is no weight or no stack. */
static bool split(struct folded_reader *r, const char *line, size_t *len, uint64_t *weight)
{
	size_t end = *len, digits;

	while (end && is_blank(line[end - 1]))
		end--;
	digits = end;
	while (digits && !is_blank(line[digits - 1]))
		digits--;
	if (digits < 2 || !read_weight(r, line + digits, end - digits, weight))
		return false;
	*len = digits - 1;
	return true;
}

static bool all_blank(const char *line, size_t len)
{
	while (len && is_blank(line[len - 1]))
		len--;
	return !len;
}

static void read_line(struct folded_reader *r, const char *line, size_t len)
{
	bool cut = r->text.cut;
	uint64_t weight;
	size_t n = len;

	if (!cut && (all_blank(line, len) || text_is_comment(line, len)))
		return;
	if (cut)
		text_note(&r->text, LINE_TOO_LONG, r->text.line, line, len);
	else if (!split(r, line, &n, &weight))
		text_note(&r->text, NO_WEIGHT, r->text.line, line, len);
	else if (weight)
		add_stack(r, line, n, weight);
}

/* Whether the line ends in a weight with a decimal point. */
static bool has_fraction(const char *line, size_t len)
{
	const char *s = line + len;
	size_t whole = len;
	double ignored;

	while (s > line && !is_blank(s[-1]))
		s--;
	len -= (size_t)(s - line);
	return !text_is_comment(line, whole) && memchr(s, '.', len) &&
	       parse_decimal(s, len, &ignored);
}

/* Weights with fractions, such as seconds, are counted in thousandths. */
static unsigned choose_scale(struct lines *lines)
{
	const char *s, *end;
	size_t n = lines_peek(lines, TEXT_HEAD, &s);

	for (end = s + n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl : end) - s);

		if (has_fraction(s, len - (len && s[len - 1] == '\r')))
			return 1000;
		s += len + (nl != NULL);
	}
	return 1;
}

static void note_fractions(const struct folded_reader *r)
{
	text_note_write(&r->text.notes[FRACTION],
		r->scale > 1 ? "weights have fractions, so all are counted in thousandths"
			     : "weights have fractions, which are carried over to the next weight",
		r->text.in->notes);
}

static int folded_read(struct text_input *in)
{
	struct folded_reader r = {
		.p = in->p, .before = STRBUF_INIT, .scale = choose_scale(in->lines)};
	const char *line;
	size_t len;
	int ret;

	text_begin(&r.text, in, line_notes, ARRAY_LEN(line_notes));
	stack_queue_begin(&r.stacks, in->p);
	while (text_next(&r.text, &line, &len))
		read_line(&r, line, len);
	stack_queue_end(&r.stacks);
	note_fractions(&r);
	ret = text_end(&r.text);
	text_release(&r.text);
	strbuf_release(&r.before);
	free(r.path);
	return ret;
}

bool folded_has_weight(const char *line, size_t len)
{
	uint64_t ignored;
	size_t at = len;

	while (at && !is_blank(line[at - 1]) && line[at - 1] != '\r')
		at--;
	return parse_u64(line + at, len - at, 10, &ignored);
}

static bool folded_is_line(const char *line, size_t len)
{
	text_trim(&line, &len);
	return folded_has_weight(line, len) || memchr(line, ';', len);
}

const struct text_format folded_format = {
	.name = "folded",
	.is_line = folded_is_line,
	.votes = 1,
	.read = folded_read,
};

/* Whether a name would be read as a separator, or as a name with a suffix. */
static bool is_misleading(const char *name, size_t len, const char *suffix)
{
	size_t n = len;

	return !*suffix && (is_dash(name, len) || folded_kind(name, &n) != FRAME_USER);
}

void folded_frame_add(struct strbuf *out, const struct profile *p, uint32_t frame)
{
	const char *suffix = frame_kind_suffix(p->frames[frame].kind);
	size_t len;
	const char *name = profile_name(p, frame, &len);

	if (!len) {
		strbuf_adds(out, "[unknown]");
	} else if (is_misleading(name, len, suffix)) {
		folded_name_add(out, name, len - 1);
		strbuf_addf(out, "\\x%02x", (unsigned char)name[len - 1]);
	} else {
		folded_name_add(out, name, len);
	}
	strbuf_adds(out, suffix);
}
