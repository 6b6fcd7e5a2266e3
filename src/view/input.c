/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"
#include "lib/folded.h"
#include "lib/lines.h"
#include "lib/stackline.h"
#include "lib/stacktext.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEEK = 1 << 16 };

enum input_kind { INPUT_EMPTY, INPUT_RECORDING, INPUT_FOLDED, INPUT_STACKTEXT, INPUT_REFUSED };

static const struct {
	const char *begins;
	size_t len;
	const char *why;
} refused[] = {
	{"\x1f\x8b", 2, "it is compressed: run gunzip on it first"},
	{"\x28\xb5\x2f\xfd", 4, "it is compressed: run unzstd on it first"},
	{"\xfd"
	 "7zXZ",
		5, "it is compressed: run unxz on it first"},
	{"BZh", 3, "it is compressed: run bunzip2 on it first"},
	{"PERFILE2", 8, "it is perf's own format: run perf script on it first"},
	{"\x7f"
	 "ELF",
		4, "it is a program, no profile"},
	{"<?xml", 5, "it is a picture or other XML, no profile"},
	{"<svg", 4, "it is a picture, no profile"},
};

static bool is_space(char c)
{
	return is_blank(c) || c == '\r';
}

/* Which of the two texts a line speaks for; INPUT_EMPTY: for none. */
static enum input_kind kind_of_line(const char *s, const char *end)
{
	const char *last;
	uint64_t ignored;

	while (s < end && is_space(*s))
		s++;
	while (end > s && is_space(end[-1]))
		end--;
	if (s == end)
		return INPUT_EMPTY;
	size_t len = (size_t)(end - s);

	if (parse_u64(s, len, 10, &ignored) || stackline_is_list(s, len))
		return INPUT_STACKTEXT;
	for (last = end; last > s && !is_space(last[-1]); last--)
		;
	if (last > s && parse_u64(last, (size_t)(end - last), 10, &ignored))
		return INPUT_FOLDED;
	if (memmem(s, len, "+0x", 3) || (len > 2 && !memcmp(s, "0x", 2)))
		return INPUT_STACKTEXT;
	return memchr(s, ';', len) ? INPUT_FOLDED : INPUT_EMPTY;
}

static enum input_kind kind_of_text(const char *s, const char *end)
{
	size_t folded = 0, stacktext = 0;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		enum input_kind kind = kind_of_line(s, nl ? nl : end);

		folded += kind == INPUT_FOLDED;
		stacktext += kind == INPUT_STACKTEXT;
		s = nl ? nl + 1 : end;
	}
	if (!folded && !stacktext)
		return INPUT_REFUSED;
	return folded > stacktext ? INPUT_FOLDED : INPUT_STACKTEXT;
}

static bool is_binary(const char *bytes, size_t n)
{
	size_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		odd += c < 9 || (c > 13 && c < 32 && c != 27);
	}
	return odd > n / 20;
}

static enum input_kind kind_of_input(struct lines *lines, const char **why)
{
	const char *bytes;
	size_t n = lines_peek(lines, PEEK, &bytes);
	size_t magic = sizeof(RECORDING_MAGIC) - 1;

	if (lines->error) {
		*why = strerror(lines->error);
		return INPUT_REFUSED;
	}
	if (n > magic && !memcmp(bytes, RECORDING_MAGIC, magic))
		return INPUT_RECORDING;
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		*why = refused[i].why;
		if (n >= refused[i].len && !memcmp(bytes, refused[i].begins, refused[i].len))
			return INPUT_REFUSED;
	}
	*why = "it is binary: neither a recording nor folded stacks nor backtraces";
	if (is_binary(bytes, n))
		return INPUT_REFUSED;
	*why = "it is neither a recording nor folded stacks nor backtraces with counts";
	while (n && (is_space(bytes[n - 1]) || bytes[n - 1] == '\n'))
		n--;
	return n ? kind_of_text(bytes, bytes + n) : INPUT_EMPTY;
}

/*
 * Adds to P's account, which is of the last input alone, that of the inputs before it. It is known
 * only if all were.
 */
static void add_account(struct profile *p, const struct account *before, bool first)
{
	struct account *sum = &p->account;

	sum->known = sum->known && (first || before->known);
	add_capped(&sum->kept, before->kept);
	add_capped(&sum->whole, before->whole);
	add_capped(&sum->cut, before->cut);
	add_capped(&sum->broken, before->broken);
	add_capped(&sum->named, before->named);
	add_capped(&sum->unnamed, before->unnamed);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&sum->lost[i], before->lost[i]);
}

static bool nothing_yet(const struct profile *p)
{
	return p->nr_nodes == 1 && !account_lost(&p->account);
}

void input_recording(struct profile *p, struct recording *rec, const struct input_options *options,
	struct strbuf *notes)
{
	struct account before = p->account;
	bool first = nothing_yet(p);
	char *title = p->title ? xstrdup(p->title) : NULL;

	symbol_resolve(rec, &options->symbol, NULL, notes);
	recording_to_profile(rec, &options->view, p);
	if (title)
		profile_set(&p->title, title);
	free(title);
	add_account(p, &before, first);
}

/* -1 when the weights of REC are not what P has. */
static int check_unit(const struct profile *p, const struct recording *rec,
	const struct recording_view *view, struct strbuf *err)
{
	uint32_t event = recording_viewed_event(rec, view);

	if (event >= rec->nr_events)
		return view->event < 0 ? 0 : fail(err, "it has no event %" PRIu32 "\n", event);

	const char *unit = recording_get(rec, rec->events[event].unit);

	if (nothing_yet(p) || !strcmp(unit, p->unit))
		return 0;
	return fail(err, "it counts %s and the inputs before it %s: look at them one by one\n",
		unit, p->unit);
}

static int read_recording(struct profile *p, struct lines *lines,
	const struct input_options *options, struct strbuf *err)
{
	struct recording rec;
	int ret = -1;

	recording_init(&rec);
	if (recording_read(&rec, lines, err) < 0 || check_unit(p, &rec, &options->view, err) < 0)
		goto out;
	input_recording(p, &rec, options, err);
	ret = recording_is_part(&rec, err);
out:
	recording_release(&rec);
	return ret;
}

static int read_text(struct profile *p, struct lines *lines, enum input_kind kind,
	const struct input_options *options, struct strbuf *err)
{
	struct stacktext_options text = {.sources = options->view.lines};
	struct account before = p->account;
	bool first = nothing_yet(p);

	p->account = (struct account){0};

	int ret = kind == INPUT_FOLDED ? folded_read(p, lines, err)
				       : stacktext_read(p, lines, &text, err);

	add_account(p, &before, first);
	return ret;
}

static int read_lines(struct profile *p, struct lines *lines, const struct input_options *options,
	struct strbuf *err)
{
	const char *why = "";
	enum input_kind kind = kind_of_input(lines, &why);

	switch (kind) {
	case INPUT_EMPTY:
		strbuf_adds(err, "it is empty\n");
		return 0;
	case INPUT_REFUSED:
		return fail(err, "%s\n", why);
	case INPUT_RECORDING:
		return read_recording(p, lines, options, err);
	default:
		return read_text(p, lines, kind, options, err);
	}
}

/* Each line of NOTES as "'PATH': LINE". */
static void add_notes(struct strbuf *err, const char *path, const struct strbuf *notes)
{
	for (const char *s = notes->buf; *s;) {
		size_t n = strcspn(s, "\n");

		message_add_path(err, path);
		strbuf_adds(err, ": ");
		strbuf_add(err, s, n);
		strbuf_addch(err, '\n');
		s += n + (s[n] == '\n');
	}
}

int input_read(struct profile *p, const char *path, const struct input_options *options,
	struct strbuf *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct strbuf notes = STRBUF_INIT;
	struct lines lines;

	if (fd < 0) {
		strbuf_adds(err, "cannot open ");
		message_add_path(err, path);
		return fail(err, ": %s\n", strerror(errno));
	}
	lines_init(&lines, fd);

	int ret = read_lines(p, &lines, options, &notes);

	lines_release(&lines);
	if (!is_stdin)
		close(fd);
	add_notes(err, is_stdin ? "stdin" : path, &notes);
	strbuf_release(&notes);
	return ret;
}
