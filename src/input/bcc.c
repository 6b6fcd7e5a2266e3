/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bcc.h"
#include "folded.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/memo.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "said.h"
#include "stackline.h"
#include "stacks.h"

#include <inttypes.h>
#include <string.h>

struct bcc_reader {
	struct profile *p;
	bool threads;
	struct memo frames; /* line → its worth */
	struct stacks stacks;
	struct strbuf name;

	uint32_t task;     /* of the stack, 0: not yet known */
	size_t waker_end;  /* so many of its frames woke the others */
	size_t kernel_end; /* up to here they are the kernel's, 0: not said */
	uint64_t line, stack_line;

	struct said values, unread, unended, too_long, too_deep;
};

/* A line without its indentation. */
struct bcc_text {
	const char *s;
	size_t len;
};

static bool begins(const struct bcc_text *t, const char *with)
{
	return begins_with(t->s, t->len, with);
}

static bool is(const struct bcc_text *t, const char *what)
{
	return t->len == strlen(what) && begins(t, what);
}

/* What stands behind WORD and blanks; false: the line begins otherwise. */
static bool behind(const struct bcc_text *t, const char *word, struct bcc_text *rest)
{
	size_t n = strlen(word);

	if (!begins(t, word) || n >= t->len || !is_blank(t->s[n]))
		return false;
	while (n < t->len && is_blank(t->s[n]))
		n++;
	*rest = (struct bcc_text){t->s + n, t->len - n};
	return true;
}

/* "COMM (PID)" */
static bool parse_task(const struct bcc_text *t, struct stacks_task *task)
{
	const char *end = t->s + t->len, *open = memrchr(t->s, '(', t->len);

	if (!open || open < t->s + 2 || end[-1] != ')' || open[-1] != ' ' ||
		!parse_u64(open + 1, (size_t)(end - open - 2), 10, &task->pid))
		return false;
	task->comm = t->s;
	task->len = (size_t)(open - 1 - t->s);
	return true;
}

/* ADDRESS NAME, or only the name */
static uint64_t cut_address(struct bcc_text *t)
{
	uint64_t address;
	size_t n = stackline_address(t->s, t->s + t->len, &address);

	if (n < 8 || n >= t->len || !is_blank(t->s[n]))
		return 0;
	while (n < t->len && is_blank(t->s[n]))
		n++;
	*t = (struct bcc_text){t->s + n, t->len - n};
	return address;
}

static uint32_t worth_of(struct bcc_reader *r, struct bcc_text t)
{
	uint64_t address = cut_address(&t);
	size_t len = t.len;
	enum frame_kind kind = folded_kind(t.s, &len);

	strbuf_reset(&r->name);
	strbuf_add(&r->name, t.s, len);
	if (name_is_note(r->name.buf, len))
		return stacks_note(&r->stacks, r->name.buf);
	if (address >> 63)
		kind = FRAME_KERNEL;
	return profile_frame(r->p, kind, r->name.buf, len, NULL, 0) |
	       (name_is_unnamed(r->name.buf, len) ? WORTH_UNNAMED : 0);
}

static void push(struct bcc_reader *r, uint32_t worth)
{
	if (!r->stacks.nr)
		r->stack_line = r->line;
	if (!stacks_push(&r->stacks, worth))
		said_add(&r->too_deep, r->stack_line, "", 0);
}

static void read_frame(struct bcc_reader *r, const struct bcc_text *t)
{
	uint64_t hash = hash_text(t->s, t->len);
	uint32_t worth;

	if (!memo_get(&r->frames, t->s, t->len, hash, &worth)) {
		worth = worth_of(r, *t);
		memo_put(&r->frames, t->s, t->len, hash, worth);
	}
	push(r, worth);
}

/* Of a stack with two tasks: the leaf stands first, the other one is the root. */
static void set_task(struct bcc_reader *r, const struct bcc_text *comm)
{
	struct stacks_task task = {.comm = comm->s, .len = comm->len};

	if (r->stacks.nr)
		r->task = stacks_task(&r->stacks, &task);
	else
		push(r, WORTH_UNCOUNTED |
				profile_frame(r->p, FRAME_WAKER, comm->s, comm->len, NULL, 0));
}

/* True: the line is about tasks or parts of the stack. */
static bool read_mark(struct bcc_reader *r, const struct bcc_text *t)
{
	struct stacks_task task = {0};
	struct bcc_text rest;

	if (is(t, "--")) {
		r->kernel_end = r->stacks.nr;
	} else if (behind(t, "-", &rest) && is(&rest, "-")) {
		r->waker_end = r->stacks.nr;
		r->kernel_end = 0;
	} else if (behind(t, "-", &rest) && parse_task(&rest, &task)) {
		task.tid = r->threads ? task.pid : 0;
		r->task = stacks_task(&r->stacks, &task);
	} else if (behind(t, "waker:", &rest) || behind(t, "target:", &rest)) {
		set_task(r, &rest);
	} else {
		return false;
	}
	return true;
}

/* Where the kernel's frames end, as far as the stack tells. */
static size_t kernel_end(const struct bcc_reader *r)
{
	size_t end = r->stacks.nr;

	while (end > r->waker_end && !stacks_is_entry(&r->stacks, end - 1))
		end--;
	return end;
}

static void forget(struct bcc_reader *r)
{
	stacks_forget(&r->stacks);
	r->task = 0;
	r->waker_end = r->kernel_end = 0;
}

static void end_stack(struct bcc_reader *r, uint64_t value)
{
	size_t end = r->kernel_end ? r->kernel_end : kernel_end(r);

	stacks_set_kind(&r->stacks, 0, r->waker_end, FRAME_WAKER);
	if (end > r->waker_end)
		stacks_set_kind(&r->stacks, r->waker_end, end, FRAME_KERNEL);
	stacks_add(&r->stacks, r->task, value);
	forget(r);
}

/* False: it is no number. */
static bool read_value(struct bcc_reader *r, const struct bcc_text *t)
{
	uint64_t value;

	if (*t->s > '9' || !stackline_is_number(t->s, t->len))
		return false;
	if (parse_u64(t->s, t->len, 10, &value)) {
		end_stack(r, value);
		return true;
	}
	said_add(&r->values, r->line, t->s, t->len);
	r->p->account.lost[LOST_UNREADABLE]++;
	forget(r);
	return true;
}

/* Headings; "^C" is what the terminal adds. */
static void read_heading(struct bcc_reader *r, const struct bcc_text *t)
{
	if (begins(t, "Tracing ") && memmem(t->s, t->len, "(us)", 4))
		profile_set(&r->p->unit, "us");
	else if (!begins(t, "Sampling ") && !begins(t, "Tracing ") && !begins(t, "^C") &&
		 !is(t, "Detaching...") && !is(t, "[...]"))
		said_add(&r->unread, r->line, t->s, t->len);
}

static void read_line(struct bcc_reader *r, const char *line, size_t len)
{
	struct bcc_text t = {line, len};

	while (t.len && is_blank(t.s[t.len - 1]))
		t.len--;
	while (t.len && is_blank(*t.s)) {
		t.s++;
		t.len--;
	}
	if (!t.len)
		return;
	if (t.s == line)
		read_heading(r, &t);
	else if (!read_mark(r, &t) && !((r->task || r->stacks.nr) && read_value(r, &t)))
		read_frame(r, &t);
}

static void read_lines(struct bcc_reader *r, struct lines *lines)
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
	if (r->stacks.nr)
		said_add(&r->unended, r->stack_line, "", 0);
	r->p->account.lost[LOST_UNREADABLE] += r->unended.nr + r->too_long.nr;
}

static void tell(const struct bcc_reader *r, const struct lines *lines, struct strbuf *notes)
{
	said_tell(&r->values, "stacks left out because their value is no unsigned integer", notes);
	said_tell(&r->unended, "stacks without value left out", notes);
	said_tell(&r->unread, "lines left out because they are of no stack", notes);
	said_tell(&r->too_long, "lines too long for a frame", notes);
	said_tell(&r->too_deep, "stacks cut because they are too deep", notes);
	if (lines->error)
		strbuf_addf(notes, "cannot read: %s\n", strerror(lines->error));
}

static void reader_init(struct bcc_reader *r, struct profile *p, bool threads)
{
	*r = (struct bcc_reader){
		.p = p,
		.threads = threads,
		.name = STRBUF_INIT,
		.values = SAID_INIT,
		.unread = SAID_INIT,
		.unended = SAID_INIT,
		.too_long = SAID_INIT,
		.too_deep = SAID_INIT,
	};
	memo_init(&r->frames);
	stacks_init(&r->stacks, p);
}

static void reader_release(struct bcc_reader *r)
{
	memo_release(&r->frames);
	stacks_release(&r->stacks);
	strbuf_release(&r->name);
	said_release(&r->values);
	said_release(&r->unread);
	said_release(&r->unended);
	said_release(&r->too_long);
	said_release(&r->too_deep);
}

int bcc_read(
	struct profile *p, struct lines *lines, bool threads, bool *several, struct strbuf *notes)
{
	struct bcc_reader r;
	int ret;

	reader_init(&r, p, threads);
	read_lines(&r, lines);
	tell(&r, lines, notes);
	*several = r.stacks.several;
	ret = p->account.lost[LOST_UNREADABLE] || r.too_deep.nr;
	reader_release(&r);
	return lines->error ? -1 : ret;
}

bool bcc_is_line(const char *line, size_t len)
{
	struct bcc_text t = {line, len}, rest;
	struct stacks_task task;

	while (t.len && is_blank(*t.s)) {
		t.s++;
		t.len--;
	}
	return t.s >= line + 4 &&
	       ((behind(&t, "-", &rest) && parse_task(&rest, &task)) ||
		       behind(&t, "waker:", &rest) || behind(&t, "target:", &rest));
}
