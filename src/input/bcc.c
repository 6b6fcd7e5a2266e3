/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as printed by bcc's tools (profile, offcputime, offwaketime, wakeuptime, stackcount), in
 * Python or C:
 *
 *	    NAME, or ADDRESS NAME             leaf first; kernel frames with or without _[k]
 *	    --                                between kernel and user frames
 *	    -                COMM (PID)       the task; stackcount prints COMM [PID]
 *	        VALUE
 *
 * Without "--", the kernel frames are the frames with kernel addresses, or all frames up to a
 * kernel entry point. The stack of a waker (FRAME_WAKER) comes before "-                -". The
 * tasks are then printed as "waker:           COMM" and "target:          COMM".
 */
#include "folded.h"
#include "notes.h"
#include "stackline.h"
#include "text_reader.h"

#include <string.h>

enum { BAD_VALUE = NOTES_COMMON, UNENDED, UNREAD };

static const struct text_note_kind notes[] = {
	{"stacks left out: their value is not an unsigned integer", NOTE_LOST},
	{"stacks left out: no value follows", NOTE_LOST},
	{"lines left out: not part of a stack", NOTE_INFO},
};

struct bcc_reader {
	struct text_reader text;
	uint32_t task;     /* root frame of the stack, or 0 if it is not known yet */
	size_t waker_end;  /* end of the waker's frames */
	size_t kernel_end; /* end of the kernel frames, or 0 if it is not marked */
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

/*
 * Sets REST to the text after WORD and blanks. Returns false if the line does not begin with WORD.
 */
static bool skip_word(const struct bcc_text *t, const char *word, struct bcc_text *rest)
{
	size_t n = strlen(word);

	if (!begins(t, word) || n >= t->len || !is_blank(t->s[n]))
		return false;
	while (n < t->len && is_blank(t->s[n]))
		n++;
	*rest = (struct bcc_text){t->s + n, t->len - n};
	return true;
}

/* Parses "COMM (PID)", or "COMM [PID]" with stackcount's brackets. */
static bool parse_task(const struct bcc_text *t, const char *brackets, struct task *task)
{
	const char *end = t->s + t->len, *open = memrchr(t->s, brackets[0], t->len);

	if (!open || open < t->s + 2 || end[-1] != brackets[1] || open[-1] != ' ' ||
		!parse_u64(open + 1, (size_t)(end - open - 2), 10, &task->pid))
		return false;
	task->comm = t->s;
	task->len = (size_t)(open - 1 - t->s);
	return true;
}

/* Removes the address from "ADDRESS NAME" and returns it, or returns 0 if there is none. */
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

static bool parse_frame(struct text_reader *r, const char *text, size_t n, uint32_t *entry)
{
	struct bcc_text t = {text, n};
	uint64_t address = cut_address(&t);
	size_t len = t.len;
	enum frame_kind kind = folded_kind(t.s, &len);

	strbuf_reset(&r->name);
	strbuf_add(&r->name, t.s, len);
	if (name_is_note(r->name.buf, len)) {
		*entry = stacks_note(&r->stacks, r->name.buf);
		return true;
	}
	if (address >> 63)
		kind = FRAME_KERNEL;
	*entry = profile_frame(r->p, kind, r->name.buf, len, NULL, 0) |
		 (name_is_unnamed(r->name.buf, len) ? ENTRY_UNNAMED : 0);
	return true;
}

static void push(struct text_reader *r, uint32_t entry)
{
	if (!r->stacks.nr)
		r->stack_line = r->line;
	text_push(r, entry);
}

static void read_frame(struct text_reader *r, const struct bcc_text *t)
{
	uint32_t entry;

	if (text_entry(r, t->s, t->len, parse_frame, &entry))
		push(r, entry);
}

/* If there are two tasks, the first one becomes the leaf frame, the second one the root. */
static void set_task(struct bcc_reader *r, const struct bcc_text *comm)
{
	struct task task = {.comm = comm->s, .len = comm->len};

	if (r->text.stacks.nr)
		r->task = stacks_task(&r->text.stacks, &task, 0);
	else
		push(&r->text, ENTRY_UNCOUNTED | profile_frame(r->text.p, FRAME_WAKER, comm->s,
							 comm->len, NULL, 0));
}

/* Returns false if the line is neither a task nor a separator. */
static bool read_mark(struct bcc_reader *r, const struct bcc_text *t)
{
	const struct text_options *options = r->text.in->options;
	struct task task = {0};
	struct bcc_text rest;

	if (is(t, "--")) {
		r->kernel_end = r->text.stacks.nr;
	} else if (skip_word(t, "-", &rest) && is(&rest, "-")) {
		r->waker_end = r->text.stacks.nr;
		r->kernel_end = 0;
	} else if ((skip_word(t, "-", &rest) && parse_task(&rest, "()", &task)) ||
		   (r->text.stacks.nr && parse_task(t, "[]", &task))) {
		r->task = stacks_task(&r->text.stacks, &task,
			options->threads || options->processes ? task.pid : 0);
	} else if (skip_word(t, "waker:", &rest) || skip_word(t, "target:", &rest)) {
		set_task(r, &rest);
	} else {
		return false;
	}
	return true;
}

/* Returns the end of the kernel frames, behind the last kernel frame or kernel entry point. */
static size_t kernel_end(const struct bcc_reader *r)
{
	size_t end = r->text.stacks.nr;

	while (end > r->waker_end && !stacks_is_entry(&r->text.stacks, end - 1))
		end--;
	return end;
}

static void forget(struct bcc_reader *r)
{
	stacks_forget(&r->text.stacks);
	r->task = 0;
	r->waker_end = r->kernel_end = 0;
}

static void end_stack(struct bcc_reader *r, uint64_t value)
{
	size_t end = r->kernel_end ? r->kernel_end : kernel_end(r);

	stacks_set_kind(&r->text.stacks, 0, r->waker_end, FRAME_WAKER);
	if (end > r->waker_end)
		stacks_set_kind(&r->text.stacks, r->waker_end, end, FRAME_KERNEL);
	stacks_add(&r->text.stacks, r->task, value);
	forget(r);
}

/* Returns false if the line is not a number. */
static bool read_value(struct bcc_reader *r, const struct bcc_text *t)
{
	uint64_t value;

	if (*t->s > '9' || !stackline_is_number(t->s, t->len))
		return false;
	if (parse_u64(t->s, t->len, 10, &value)) {
		end_stack(r, value);
		return true;
	}
	text_note(&r->text, BAD_VALUE, r->text.line, t->s, t->len);
	forget(r);
	return true;
}

/* Whether the line is the time of an interval: "12:34:56". */
static bool is_time(const char *line, size_t len)
{
	return len == 8 && line[2] == ':' && line[5] == ':' && line[0] <= '9' && line[7] <= '9';
}

/* Whether the line is printed before or between the stacks. "^C" comes from the terminal. */
static bool is_heading(const char *line, size_t len)
{
	static const char *const headings[] = {
		"Sampling ", "Tracing ", "^C", "Detaching...", "[...]"};

	for (size_t i = 0; i < ARRAY_LEN(headings); i++)
		if (begins_with(line, len, headings[i]))
			return true;
	return is_time(line, len);
}

static void read_heading(struct bcc_reader *r, const struct bcc_text *t)
{
	if (begins(t, "Tracing ") && memmem(t->s, t->len, "(us)", 4))
		profile_set(&r->text.p->unit, "us");
	else if (!is_heading(t->s, t->len))
		text_note(&r->text, UNREAD, r->text.line, t->s, t->len);
}

static void read_line(struct bcc_reader *r, const char *line, size_t len)
{
	struct bcc_text t = {line, len};

	text_trim(&t.s, &t.len);
	if (!t.len)
		return;
	if (t.s == line && !text_is_comment(line, len))
		read_heading(r, &t);
	else if (!read_mark(r, &t) && !((r->task || r->text.stacks.nr) && read_value(r, &t)))
		read_frame(&r->text, &t);
}

static int bcc_read(struct text_input *in)
{
	struct bcc_reader r = {0};
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
	if (r.text.stacks.nr)
		text_note(&r.text, UNENDED, r.text.stack_line, "", 0);
	ret = text_end(&r.text);
	text_release(&r.text);
	return ret;
}

static bool bcc_is_line(const char *line, size_t len)
{
	struct bcc_text t = {line, len}, rest;
	struct task task;

	text_trim(&t.s, &t.len);
	return t.s >= line + 4 &&
	       ((skip_word(&t, "-", &rest) && parse_task(&rest, "()", &task)) ||
		       skip_word(&t, "waker:", &rest) || skip_word(&t, "target:", &rest));
}

/* Whether the line is the heading of stackcount, whose stacks have no line that only bcc prints. */
static bool bcc_is_title(const char *line, size_t len)
{
	return begins_with(line, len, "Tracing ") && memmem(line, len, " functions for \"", 16);
}

/* Whether a stack or a heading may contain the line. Frames, separators and values are indented. */
static bool bcc_is_part(const char *line, size_t len)
{
	return (len > 2 && is_blank(line[0]) && is_blank(line[1])) || is_heading(line, len);
}

const struct text_format bcc_format = {
	.name = "bcc",
	.is_line = bcc_is_line,
	.is_title = bcc_is_title,
	.is_part = bcc_is_part,
	.votes = 4,
	.has_meta = true,
	.has_tasks = true,
	.read = bcc_read,
};
