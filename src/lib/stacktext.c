/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacktext.h"
#include "folded.h"
#include "hash.h"
#include "lines.h"
#include "memo.h"
#include "stackline.h"
#include "strbuf.h"
#include "util.h"
#include "word.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Deeper is no stack but a text without counts; what is beyond is left out and marked. */
enum { DEPTH_MAX = 1 << 18 };

/* What a line is worth: the number of its frame, and what that says of the stack. */
enum {
	FRAME_BITS = (1 << 26) - 1,
	UNNAMED = 1 << 26,
	NOTE = 1 << 27,
	CUT = 1 << 28,    /* and [truncated] is its caller */
	MARKED = 1 << 29, /* it is a note that says so */
	BROKEN = 1 << 30,
};

struct reader {
	struct profile *p;
	const struct stacktext_options *options;
	struct memo frames; /* line → its worth */
	struct strbuf name, module, source;

	uint32_t *stack; /* leaf first */
	size_t nr, alloc;
	struct stack_account account;
	bool deep;           /* it has reached DEPTH_MAX */
	uint64_t stack_line; /* where it began */

	struct leaf { /* of each different stack, by its hash; node 0: free */
		uint32_t hash, node;
	} * leaves;
	uint32_t nr_leaves, leaves_mask;

	uint64_t line;
	struct said {
		uint64_t nr, line; /* how often, and where first */
		struct strbuf text;
	} bad_counts, warnings, errors, too_long, too_deep;
};

static void note(struct said *said, uint64_t line, const char *text, size_t len)
{
	if (said->nr++)
		return;
	said->line = line;
	message_add(&said->text, text, len < 100 ? len : 100);
}

static uint32_t bracket_frame(struct reader *r, const char *name, enum frame_kind kind)
{
	return profile_frame(r->p, kind, name, strlen(name), NULL, 0);
}

static uint32_t note_frame(struct reader *r, const char *name)
{
	return bracket_frame(r, name, FRAME_NOTE);
}

static void push(struct reader *r, uint32_t worth)
{
	if (!r->nr)
		r->stack_line = r->line;
	if (r->nr >= DEPTH_MAX) {
		if (!r->deep)
			note(&r->too_deep, r->stack_line, "", 0);
		r->deep = true;
		r->account.cut = true;
		r->stack[r->nr - 1] = note_frame(r, "[truncated]");
		return;
	}
	ALLOC_GROW(r->stack, r->nr, r->alloc);
	r->stack[r->nr++] = worth & FRAME_BITS;
	r->account.named += !(worth & (UNNAMED | NOTE));
	r->account.unnamed += (worth & UNNAMED) != 0;
	r->account.cut |= (worth & (CUT | MARKED)) != 0;
	r->account.broken |= (worth & BROKEN) != 0;
	if (worth & CUT) {
		ALLOC_GROW(r->stack, r->nr, r->alloc);
		r->stack[r->nr++] = note_frame(r, "[truncated]");
	}
}

static void forget_stack(struct reader *r)
{
	r->nr = 0;
	r->account = (struct stack_account){0};
	r->deep = false;
}

static void set_name(struct reader *r, const char *name, size_t len)
{
	strbuf_reset(&r->name);
	strbuf_add(&r->name, name, len);
	r->name.len = word_decode(r->name.buf, len);
	r->name.buf[r->name.len] = '\0';
}

/* The number of "file.c:12", without the folder; 0 where the line is not known or not wanted. */
static uint32_t source_of(struct reader *r, const struct stackline *l)
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
static void set_module(struct reader *r, const struct stackline *l, enum frame_kind kind)
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

static void name_after_module(struct reader *r)
{
	const char *slash = memrchr(r->module.buf, '/', r->module.len);
	size_t from = slash ? (size_t)(slash - r->module.buf) + 1 : 0;

	strbuf_reset(&r->name);
	if (from == r->module.len) {
		strbuf_adds(&r->name, "[unknown]");
	} else if (r->module.buf[0] == '[') {
		strbuf_add(&r->name, r->module.buf, r->module.len);
	} else {
		strbuf_addch(&r->name, '[');
		strbuf_add(&r->name, r->module.buf + from, r->module.len - from);
		strbuf_addch(&r->name, ']');
	}
}

static uint32_t worth_of(struct reader *r, const char *text, size_t len)
{
	struct stackline l;

	stackline_parse(&l, text, len);

	bool broken = l.inexact && l.has_address && !l.address && !l.name_len;
	bool kernel = l.address >> 63 || (l.module_len == 6 && !memcmp(l.module, "kernel", 6));
	enum frame_kind kind = kernel ? FRAME_KERNEL : FRAME_USER;
	uint32_t worth = (l.cut ? CUT : 0) | (l.inexact ? BROKEN : 0);

	if (broken)
		return note_frame(r, "[broken]") | NOTE | worth;
	set_module(r, &l, kind);
	if (l.name_len)
		set_name(r, l.name, l.name_len);
	else
		name_after_module(r);
	if (l.name_len && name_is_note(r->name.buf, r->name.len)) {
		kind = FRAME_NOTE;
		worth |= NOTE;
		worth |= (note_is_broken(r->name.buf) ? BROKEN : 0) |
			 (note_is_cut(r->name.buf) ? MARKED : 0);
	} else if (!l.name_len || name_is_unnamed(r->name.buf, r->name.len)) {
		worth |= UNNAMED;
	}
	struct frame frame = {
		.name = strpool_add(&r->p->names, r->name.buf, r->name.len),
		.module = strpool_add(&r->p->names, r->module.buf, r->module.len),
		.source = worth & (NOTE | UNNAMED) ? 0 : source_of(r, &l),
		.kind = kind,
	};

	return profile_add_frame(r->p, &frame) | worth;
}

/*
 * A whole stack in one line. stap's strings are cut at a power of two less the NUL, and backtrace()
 * puts a blank behind every address: a line of just that length without the blank ends inside an
 * address.
 */
static void push_list(struct reader *r, const char *s, const char *end, bool cut)
{
	uint64_t address;

	while (s < end) {
		size_t n = stackline_address(s, end, &address);

		s += n;
		if (!n || (s == end && cut))
			break;
		push(r, UNNAMED | bracket_frame(r, "[unknown]",
					  address >> 63 ? FRAME_KERNEL : FRAME_USER));
		while (s < end && is_blank(*s))
			s++;
	}
	if (s < end || cut)
		push(r, note_frame(r, "[truncated]") | NOTE | MARKED);
}

static uint32_t hash_stack(const struct reader *r)
{
	uint64_t h = r->nr;

	for (size_t i = 0; i < r->nr; i++)
		h = hash_pair(h, r->stack[i]);
	return (uint32_t)h;
}

/*
 * The nodes of a stack were made one after the other: looking at them is cheap, finding them is
 * not.
 */
static bool is_leaf_of(const struct reader *r, uint32_t node)
{
	const struct profile_node *nodes = r->p->nodes;

	for (size_t i = 0; i < r->nr; i++) {
		if (!node || nodes[node].frame != r->stack[i])
			return false;
		node = nodes[node].parent;
	}
	return !node;
}

static void place_leaf(struct leaf *leaves, uint32_t mask, const struct leaf *leaf)
{
	uint32_t i = leaf->hash & mask;

	while (leaves[i].node)
		i = (i + 1) & mask;
	leaves[i] = *leaf;
}

static void remember_leaf(struct reader *r, uint32_t hash, uint32_t node)
{
	if (r->nr_leaves >= r->leaves_mask / 2) {
		uint32_t mask = r->leaves_mask * 2 + 1;
		struct leaf *leaves = xcalloc((size_t)mask + 1, sizeof(*leaves));

		for (uint32_t i = 0; i <= r->leaves_mask; i++)
			if (r->leaves[i].node)
				place_leaf(leaves, mask, &r->leaves[i]);
		free(r->leaves);
		r->leaves = leaves;
		r->leaves_mask = mask;
	}
	place_leaf(r->leaves, r->leaves_mask, &(struct leaf){hash, node});
	r->nr_leaves++;
}

static uint32_t leaf_of_stack(struct reader *r)
{
	uint32_t hash = hash_stack(r), node = 0;

	for (uint32_t i = hash & r->leaves_mask; r->leaves[i].node; i = (i + 1) & r->leaves_mask)
		if (r->leaves[i].hash == hash && is_leaf_of(r, r->leaves[i].node))
			return r->leaves[i].node;
	for (size_t i = r->nr; i--;)
		node = profile_child(r->p, node, r->stack[i]);
	remember_leaf(r, hash, node);
	return node;
}

static void add_stack(struct reader *r, uint64_t weight)
{
	uint32_t node = leaf_of_stack(r);

	add_capped(&r->p->nodes[node].self, weight);
	account_add_stack(&r->p->account, &r->account, weight);
}

static void take_count(struct reader *r, uint64_t weight)
{
	if (!r->nr)
		push(r, note_frame(r, "[no stack]") | NOTE | BROKEN);
	if (weight)
		add_stack(r, weight);
	forget_stack(r);
}

static void reject_count(struct reader *r, const char *text, size_t len)
{
	note(&r->bad_counts, r->line, text, len);
	r->p->account.lost[LOST_UNREADABLE]++;
	forget_stack(r);
}

static bool all_digits(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

/* True when the line was a number, whether it could be used or not. */
static bool read_number(struct reader *r, const char *text, size_t len)
{
	uint64_t weight;

	if (*text > '9')
		return false;
	if (all_digits(text, len)) {
		if (parse_u64(text, len, 10, &weight))
			take_count(r, weight);
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

static bool read_message(struct reader *r, const char *line, size_t len)
{
	if (*line != 'W' && *line != 'E')
		return false;
	if (len >= 8 && !memcmp(line, "WARNING:", 8))
		note(&r->warnings, r->line, line, len);
	else if (len >= 6 && !memcmp(line, "ERROR:", 6))
		note(&r->errors, r->line, line, len);
	else
		return false;
	return true;
}

static void read_line(struct reader *r, const char *line, size_t len)
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

static void read_too_long(struct reader *r)
{
	note(&r->too_long, r->line, "", 0);
	push(r, note_frame(r, "[unreadable]") | NOTE);
}

static void say(struct strbuf *notes, const char *what, const struct said *said)
{
	if (!said->nr)
		return;
	strbuf_addf(
		notes, "%s: %" PRIu64 ", the first in line %" PRIu64, what, said->nr, said->line);
	if (said->text.len)
		strbuf_addf(notes, ": '%s'", said->text.buf);
	strbuf_addch(notes, '\n');
}

static void end_input(struct reader *r, const struct lines *lines, struct strbuf *notes)
{
	if (r->nr) {
		strbuf_addf(notes,
			"the last stack (line %" PRIu64 ") has no count and is left out\n",
			r->stack_line);
		r->p->account.lost[LOST_UNREADABLE]++;
	} else if (lines->unended) {
		strbuf_adds(notes, "the last line has no end: the text may be cut\n");
	}
	say(notes, "stacks left out because their count is no unsigned integer", &r->bad_counts);
	say(notes, "lines too long for a frame", &r->too_long);
	say(notes, "stacks cut because they are too deep", &r->too_deep);
	say(notes, "errors of stap", &r->errors);
	say(notes, "warnings of stap", &r->warnings);
	if (lines->error)
		strbuf_addf(notes, "cannot read: %s\n", strerror(lines->error));
}

static void reader_init(
	struct reader *r, struct profile *p, const struct stacktext_options *options)
{
	*r = (struct reader){
		.p = p,
		.options = options,
		.leaves_mask = 1023,
		.name = STRBUF_INIT,
		.module = STRBUF_INIT,
		.source = STRBUF_INIT,
		.bad_counts.text = STRBUF_INIT,
		.warnings.text = STRBUF_INIT,
		.errors.text = STRBUF_INIT,
		.too_long.text = STRBUF_INIT,
		.too_deep.text = STRBUF_INIT,
	};
	memo_init(&r->frames);
	r->leaves = xcalloc(r->leaves_mask + 1, sizeof(*r->leaves));
}

static void reader_release(struct reader *r)
{
	memo_release(&r->frames);
	strbuf_release(&r->name);
	strbuf_release(&r->module);
	strbuf_release(&r->source);
	strbuf_release(&r->bad_counts.text);
	strbuf_release(&r->warnings.text);
	strbuf_release(&r->errors.text);
	strbuf_release(&r->too_long.text);
	strbuf_release(&r->too_deep.text);
	free(r->stack);
	free(r->leaves);
}

int stacktext_read(struct profile *p, struct lines *lines, const struct stacktext_options *options,
	struct strbuf *notes)
{
	struct reader r;
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

	bool part = r.nr || lines->unended || r.bad_counts.nr || r.too_long.nr || r.too_deep.nr ||
		    r.errors.nr;

	reader_release(&r);
	return lines->error ? -1 : part;
}
