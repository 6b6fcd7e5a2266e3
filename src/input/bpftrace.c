/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpftrace.h"
#include "folded.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/memo.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "perfline.h"
#include "said.h"
#include "stackline.h"
#include "stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct bpftrace_reader {
	struct profile *p;
	const char *wanted;
	struct strbuf map;  /* its name; empty: none was chosen yet */
	struct memo frames; /* line → its worth */
	struct stacks stacks;
	struct strbuf name;

	bool inside;               /* a key was begun, of the map OPENED */
	struct strbuf opened, key; /* key: what of it is no stack */
	size_t first_end;          /* of the first one of several stacks; 0: there is one */
	bool in_stack;
	uint64_t line, key_line;

	struct said values, maps, others, unread, unended, too_long, too_deep;
};

/* Takes "+12" off. */
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

static uint32_t worth_of(struct bpftrace_reader *r, const char *text, size_t len)
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
	return profile_frame(r->p, kind, r->name.buf, r->name.len, f.module, f.module_len) |
	       (unnamed ? WORTH_UNNAMED : 0);
}

static void read_frame(struct bpftrace_reader *r, const char *text, size_t len)
{
	uint64_t hash = hash_text(text, len);
	uint32_t worth;

	if (!memo_get(&r->frames, text, len, hash, &worth)) {
		worth = worth_of(r, text, len);
		memo_put(&r->frames, text, len, hash, worth);
	}
	if (!r->in_stack && !r->first_end)
		r->first_end = r->stacks.nr;
	r->in_stack = true;
	if (!stacks_push(&r->stacks, worth))
		said_add(&r->too_deep, r->key_line, "", 0);
}

static void reverse(uint32_t *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = frame;
	}
}

/* The first stack is put behind the others. */
static void turn_round(struct bpftrace_reader *r)
{
	struct stacks *s = &r->stacks;

	reverse(s->frames, r->first_end);
	reverse(s->frames + r->first_end, s->nr - r->first_end);
	reverse(s->frames, s->nr);
	r->first_end = s->nr - r->first_end;
}

/* The kernel's part lies nearer to the leaf, whichever is first in the key. */
static void set_kinds(struct bpftrace_reader *r)
{
	struct stacks *s = &r->stacks;
	bool last_is_kernel = s->nr && stacks_is_entry(s, s->nr - 1);

	if (!r->first_end) {
		r->first_end = last_is_kernel ? s->nr : 0;
	} else if (last_is_kernel && !stacks_is_entry(s, r->first_end - 1)) {
		turn_round(r);
	}
	stacks_set_kind(s, 0, r->first_end, FRAME_KERNEL);
	stacks_set_kind(s, r->first_end, s->nr, FRAME_USER);
}

/* The keys that are no stacks, in r->name. */
static struct stacks_task task_of(struct bpftrace_reader *r)
{
	const char *s = r->key.buf, *end = s + r->key.len;

	strbuf_reset(&r->name);
	while (s < end) {
		const char *comma = memmem(s, (size_t)(end - s), ", ", 2);
		size_t n = (size_t)((comma ? comma : end) - s);

		if (n && r->name.len)
			strbuf_adds(&r->name, ", ");
		strbuf_add(&r->name, s, n);
		s += n + (comma ? 2 : 0);
	}
	return (struct stacks_task){.comm = r->name.buf, .len = r->name.len};
}

/* The wanted map is that of the first key that has a stack. */
static bool is_wanted(struct bpftrace_reader *r)
{
	if (!r->map.len && (!r->wanted || !strcmp(r->wanted, r->opened.buf)))
		strbuf_add(&r->map, r->opened.buf, r->opened.len);
	return r->map.len == r->opened.len && !memcmp(r->map.buf, r->opened.buf, r->map.len);
}

/* An empty stack leaves nothing between commas. */
static bool has_empty_stack(const struct strbuf *key)
{
	return !key->len || begins_with(key->buf, key->len, ", ") || strstr(key->buf, ", , ") ||
	       ends_with(key->buf, ", ");
}

static void end_key(struct bpftrace_reader *r, const char *value, size_t len)
{
	uint64_t weight;

	r->inside = false;
	if (!r->stacks.nr && !has_empty_stack(&r->key)) {
		said_add(&r->maps, r->key_line, r->opened.buf, r->opened.len);
	} else if (!is_wanted(r)) {
		said_add(&r->others, r->key_line, r->opened.buf, r->opened.len);
	} else if (!parse_u64(value, len, 10, &weight)) {
		said_add(&r->values, r->line, value, len);
		r->p->account.lost[LOST_UNREADABLE]++;
	} else {
		struct stacks_task task = task_of(r);
		uint32_t root = task.len ? stacks_task(&r->stacks, &task) : 0;

		set_kinds(r);
		stacks_add(&r->stacks, root, weight);
	}
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '@';
}

/* "@NAME[": its length; 0: the line does not begin so. */
static size_t opening(const char *line, size_t len)
{
	size_t n = 1;

	if (!len || *line != '@')
		return 0;
	while (n < len && is_name(line[n]))
		n++;
	return n < len && line[n] == '[' ? n + 1 : 0;
}

/* Where the "]: VALUE" is that the line ends with; NULL: there is none. */
static const char *closing(const char *line, const char *end)
{
	const char *bracket = memrchr(line, ']', (size_t)(end - line));

	return bracket && end - bracket > 1 && bracket[1] == ':' ? bracket : NULL;
}

/* What is left of a key's line, without the frames' indentation. */
static void read_key(struct bpftrace_reader *r, const char *s, const char *end)
{
	const char *close = closing(s, end);

	r->in_stack = false;
	strbuf_add(&r->key, s, (size_t)((close ? close : end) - s));
	if (!close && r->key.len > LINES_MAX) {
		said_add(&r->unended, r->key_line, r->opened.buf, r->opened.len);
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
	stacks_forget(&r->stacks);
	r->key_line = r->line;
	strbuf_reset(&r->key);
	strbuf_reset(&r->opened);
	strbuf_add(&r->opened, line, n - 1);
}

/* A frame's line begins with a tab or four blanks. */
static bool is_frame(const char *line, size_t len)
{
	return len > 1 && (*line == '\t' || begins_with(line, len, "    "));
}

/* Lines between maps: "Attaching 2 probes...", bars of histograms, what scripts print. */
static void read_outside(struct bpftrace_reader *r, const char *line, size_t len)
{
	static const char attaching[] = "Attaching ";

	if (*line == '@')
		said_add(&r->maps, r->line, line, len);
	else if (!begins_with(line, len, attaching) && line[len - 1] != '|')
		said_add(&r->unread, r->line, line, len);
}

static void read_line(struct bpftrace_reader *r, const char *line, size_t len)
{
	const char *text = line, *end = line + len;
	size_t n = opening(line, len);

	while (text < end && is_blank(*text))
		text++;
	if (r->inside && !n && is_frame(line, len)) {
		read_frame(r, text, (size_t)(end - text));
	} else if (r->inside && !n) {
		read_key(r, line, end);
	} else if (n) {
		if (r->inside)
			said_add(&r->unended, r->key_line, r->opened.buf, r->opened.len);
		begin_key(r, line, n);
		read_key(r, line + n, end);
	} else if (text < end) {
		read_outside(r, text, (size_t)(end - text));
	}
}

static void read_lines(struct bpftrace_reader *r, struct lines *lines)
{
	uint64_t too_long = 0;
	char *line;
	size_t len;

	while (lines_next(lines, &line, &len)) {
		r->line++;
		if (lines->too_long > too_long)
			said_add(&r->too_long, r->line, "", 0);
		else
			read_line(r, line, len);
		too_long = lines->too_long;
	}
	if (r->inside)
		said_add(&r->unended, r->key_line, r->opened.buf, r->opened.len);
	r->p->account.lost[LOST_UNREADABLE] += r->unended.nr + r->too_long.nr;
}

static void tell(const struct bpftrace_reader *r, const struct lines *lines, struct strbuf *notes)
{
	struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "stacks of other maps than '%s' left out (--event shows another)",
		r->map.buf);
	if (r->map.len)
		said_tell(&r->others, what.buf, notes);
	said_tell(&r->values, "stacks left out because their value is no unsigned integer", notes);
	said_tell(&r->maps, "entries of maps without stacks left out", notes);
	said_tell(&r->unended, "keys without end left out", notes);
	said_tell(&r->unread, "lines left out because they are of no map", notes);
	said_tell(&r->too_long, "lines too long", notes);
	said_tell(&r->too_deep, "stacks cut because they are too deep", notes);
	if (lines->error)
		strbuf_addf(notes, "cannot read: %s\n", strerror(lines->error));
	strbuf_release(&what);
}

static void reader_init(struct bpftrace_reader *r, struct profile *p, const char *wanted)
{
	*r = (struct bpftrace_reader){
		.p = p,
		.wanted = wanted,
		.map = STRBUF_INIT,
		.opened = STRBUF_INIT,
		.key = STRBUF_INIT,
		.name = STRBUF_INIT,
		.values = SAID_INIT,
		.maps = SAID_INIT,
		.others = SAID_INIT,
		.unread = SAID_INIT,
		.unended = SAID_INIT,
		.too_long = SAID_INIT,
		.too_deep = SAID_INIT,
	};
	memo_init(&r->frames);
	stacks_init(&r->stacks, p);
}

static void reader_release(struct bpftrace_reader *r)
{
	memo_release(&r->frames);
	stacks_release(&r->stacks);
	strbuf_release(&r->map);
	strbuf_release(&r->opened);
	strbuf_release(&r->key);
	strbuf_release(&r->name);
	said_release(&r->values);
	said_release(&r->maps);
	said_release(&r->others);
	said_release(&r->unread);
	said_release(&r->unended);
	said_release(&r->too_long);
	said_release(&r->too_deep);
}

int bpftrace_read(struct profile *p, struct lines *lines, const char *name, bool *several,
	struct strbuf *notes)
{
	struct bpftrace_reader r;
	int ret;

	reader_init(&r, p, name);
	read_lines(&r, lines);
	tell(&r, lines, notes);
	*several = r.stacks.several;
	ret = p->account.lost[LOST_UNREADABLE] || r.too_deep.nr;
	if (name && !r.map.len && !lines->error)
		ret = fail(notes, "it has no map '%s' with stacks\n", name);
	reader_release(&r);
	return lines->error ? -1 : ret;
}

bool bpftrace_is_line(const char *line, size_t len)
{
	const char *close = closing(line, line + len);
	size_t n = opening(line, len);
	uint64_t ignored;

	if (n && !close)
		return n == len || line[len - 1] == ',';
	return close && (close == line || *line == ',' || n) && line + len - close > 3 &&
	       parse_u64(close + 3, (size_t)(line + len - close - 3), 10, &ignored);
}
