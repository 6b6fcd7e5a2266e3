/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfscript.h"
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
#include <string.h>

enum state { BETWEEN, IN_SAMPLE, IN_OTHER }; /* the latter: a sample that is not wanted */

struct perfscript_reader {
	struct profile *p;
	const struct perfscript_options *options;
	struct memo frames; /* line → its worth */
	struct stacks stacks;
	struct strbuf name, event; /* event: the wanted one, in full */
	bool chosen;               /* event is known */
	bool periods;              /* samples have one */

	enum state state;
	bool flat;     /* the sample is of one line, with its only frame */
	uint32_t task; /* of the sample that is being read */
	uint64_t weight, line, sample_line;
	uint32_t last; /* the worth of the last frame, and where it is */
	uint64_t last_at;
	size_t same_at; /* how many frames up to it are there */

	struct said unreadable, no_period, others, too_long, too_deep;
};

static bool ends(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(s + len - strlen(with), with, strlen(with));
}

/* A module in brackets is one of the kernel, but for memory of programs. */
static bool is_user_memory(const char *module, size_t len)
{
	static const char *const names[] = {"[vdso", "[vsyscall", "[vvar", "[heap", "[stack",
		"[anon", "[uprobes", "[vectors", "[sigpage"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (begins_with(module, len, names[i]))
			return true;
	return false;
}

static bool is_kernel_file(const char *file, size_t len)
{
	static const char *const endings[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst", ".ko.debug"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (ends(file, len, endings[i]))
			return true;
	return begins_with(file, len, "vmlinux") || begins_with(file, len, "bpf_prog_") ||
	       begins_with(file, len, "bpf_trampoline_") || begins_with(file, len, "kcore");
}

static enum frame_kind kind_of(const struct perf_frame *f)
{
	const char *slash = f->module_len ? memrchr(f->module, '/', f->module_len) : NULL;
	const char *file = slash ? slash + 1 : f->module;
	size_t len = f->module_len - (size_t)(file - f->module);

	if (f->inlined)
		return FRAME_INLINE;
	if (!f->module_len)
		return f->name_len && f->address >> 47 == 0x1ffff ? FRAME_KERNEL : FRAME_USER;
	if (*f->module == '[')
		return is_user_memory(f->module, f->module_len) ? FRAME_USER : FRAME_KERNEL;
	if ((begins_with(file, len, "perf-") && ends(file, len, ".map")) ||
		(begins_with(file, len, "jitted-") && ends(file, len, ".so")))
		return FRAME_JIT;
	return is_kernel_file(file, len) ? FRAME_KERNEL : FRAME_USER;
}

static uint32_t worth_of(struct perfscript_reader *r, const struct perf_frame *f)
{
	enum frame_kind kind = kind_of(f);
	uint32_t worth = kind == FRAME_INLINE ? WORTH_UNCOUNTED : f->name_len ? 0 : WORTH_UNNAMED;

	if (f->name_len) {
		strbuf_reset(&r->name);
		strbuf_add(&r->name, f->name, f->name_len);
	} else {
		set_unnamed(&r->name, f->module_len ? f->module : "", f->module_len);
	}
	return profile_frame(r->p, kind, r->name.buf, r->name.len, f->module, f->module_len) |
	       worth;
}

/* The functions that are inlined into the last frame are of its module. */
static void name_inlined(struct perfscript_reader *r, uint32_t module)
{
	struct stacks *s = &r->stacks;

	for (size_t i = 2; i <= r->same_at && i <= s->nr; i++) {
		struct frame frame = r->p->frames[s->frames[s->nr - i]];

		if (frame.kind != FRAME_INLINE || frame.module)
			break;
		frame.module = module;
		s->frames[s->nr - i] = profile_add_frame(r->p, &frame);
	}
}

static void push(struct perfscript_reader *r, uint32_t worth, const char *text, const char *end)
{
	uint32_t module = r->p->frames[worth & WORTH_FRAME].module;
	uint64_t address;

	stackline_address(text, end, &address);
	r->same_at = address == r->last_at ? r->same_at + 1 : 1;
	r->last_at = address;
	r->last = worth;
	if (!stacks_push(&r->stacks, worth))
		said_add(&r->too_deep, r->sample_line, "", 0);
	if (module && r->same_at > 1 && !r->stacks.deep)
		name_inlined(r, module);
}

/* A line of a sample; false: it is no frame. */
static bool read_frame(struct perfscript_reader *r, const char *text, size_t len)
{
	struct perf_frame f;
	uint64_t hash = hash_text(text, len);
	uint32_t worth;

	if (!memo_get(&r->frames, text, len, hash, &worth)) {
		if (!perfline_frame(&f, text, len))
			return false;
		worth = worth_of(r, &f);
		memo_put(&r->frames, text, len, hash, worth);
	}
	push(r, worth, text, text + len);
	return true;
}

static void end_sample(struct perfscript_reader *r)
{
	if (r->state == IN_SAMPLE)
		stacks_add(&r->stacks, r->task, r->weight);
	r->state = BETWEEN;
	r->same_at = 0;
}

static void choose_event(struct perfscript_reader *r, const struct perf_header *h)
{
	const char *wanted = r->options->event;
	size_t base = perfline_event_base(h->event, h->event_len);

	if (r->chosen)
		return;
	if (wanted &&
		!(strlen(wanted) == h->event_len && !memcmp(wanted, h->event, h->event_len)) &&
		!(strlen(wanted) == base && !memcmp(wanted, h->event, base)))
		return;
	strbuf_add(&r->event, h->event, h->event_len);
	r->chosen = true;
	r->periods = h->has_period && !r->options->samples;
	strbuf_reset(&r->name);
	strbuf_add(&r->name, h->event, base);
	profile_set(&r->p->event, base ? r->name.buf : NULL);
	if (!r->periods)
		return;
	if (!strcmp(r->name.buf, "cpu-clock") || !strcmp(r->name.buf, "task-clock"))
		profile_set(&r->p->unit, "ns");
	else if (base)
		profile_set(&r->p->unit, r->name.buf);
}

static void begin_sample(struct perfscript_reader *r, const struct perf_header *h)
{
	struct stacks_task task = {
		.comm = h->comm,
		.len = h->comm_len,
		.pid = h->pid,
		.tid = r->options->threads ? h->tid : 0,
	};

	r->state = IN_OTHER;
	r->flat = false;
	r->sample_line = r->line;
	choose_event(r, h);
	if (!r->chosen || r->event.len != h->event_len ||
		memcmp(r->event.buf, h->event, h->event_len)) {
		said_add(&r->others, r->line, h->event, h->event_len);
		return;
	}
	if (r->periods && !h->has_period) {
		said_add(&r->no_period, r->line, h->comm, h->comm_len);
		r->p->account.lost[LOST_UNREADABLE]++;
		return;
	}
	r->state = IN_SAMPLE;
	r->weight = r->periods && h->period ? h->period : 1;
	r->task = h->has_task ? stacks_task(&r->stacks, &task) : 0;
}

/* PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES say "lost N"; the others are no loss. */
static void read_record(struct perfscript_reader *r, const struct perf_header *h)
{
	uint64_t n;

	if (!begins_with(h->event, h->event_len, "PERF_RECORD_LOST") ||
		!begins_with(h->rest, h->rest_len, "lost ") ||
		!parse_u64(h->rest + 5, h->rest_len - 5, 10, &n))
		return;
	add_capped(&r->p->account.lost[LOST_TRANSPORT], n);
}

/* Of a tracepoint, whose own text stands behind its name. */
static bool is_tracepoint(const struct perf_header *h)
{
	size_t base = perfline_event_base(h->event, h->event_len);

	return memchr(h->event, ':', base) && !memchr(h->event, '/', base);
}

static bool read_header(struct perfscript_reader *r, const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame ignored;

	if (!perfline_header(&h, line, len))
		return false;
	end_sample(r);
	if (h.is_record) {
		read_record(r, &h);
		return true;
	}
	begin_sample(r, &h);
	if (!h.rest_len || (h.event_len && is_tracepoint(&h)))
		return true;
	r->flat = memchr(h.rest, ' ', h.rest_len) && perfline_frame(&ignored, h.rest, h.rest_len);
	if (r->flat && r->state == IN_SAMPLE)
		read_frame(r, h.rest, h.rest_len);
	return true;
}

/* Takes " (inlined)" off; true when it was there. */
static bool cut_inlined(const char *text, size_t *len)
{
	static const char inlined[] = " (inlined)";
	bool is_inlined = ends(text, *len, inlined);

	*len -= is_inlined ? sizeof(inlined) - 1 : 0;
	return is_inlined;
}

/* "/src/f.c:12" as "f.c:12", in P's names; 0: the line is not known. */
static uint32_t source_of(struct perfscript_reader *r, const char *text, size_t len)
{
	const char *slash = memrchr(text, '/', len), *end = text + len, *digits = end;
	const char *file = slash ? slash + 1 : text;

	while (digits > file && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || *digits == '0' || digits < file + 2 || digits[-1] != ':')
		return 0;
	return strpool_add(&r->p->names, file, (size_t)(end - file));
}

/* The line below a frame that says where it is in the source. */
static void read_source(struct perfscript_reader *r, const char *text, size_t len)
{
	struct frame frame = r->p->frames[r->last & WORTH_FRAME];
	uint32_t worth = r->last & ~(uint32_t)WORTH_FRAME;

	if (cut_inlined(text, &len)) {
		frame.kind = FRAME_INLINE;
		worth = WORTH_UNCOUNTED;
	}
	if (r->options->sources && !(worth & WORTH_UNNAMED))
		frame.source = source_of(r, text, len);
	stacks_pop(&r->stacks, r->last);
	r->last = profile_add_frame(r->p, &frame) | worth;
	stacks_push(&r->stacks, r->last);
}

/* What some fields add to a sample: registers, branches, code. */
static bool is_detail(const char *text, size_t len)
{
	return begins_with(text, len, "ABI:") || begins_with(text, len, "0x") || *text == '|';
}

static void reject(struct perfscript_reader *r, const char *line, size_t len)
{
	said_add(&r->unreadable, r->line, line, len);
	r->p->account.lost[LOST_UNREADABLE]++;
}

/* What belongs to the sample that was begun; false: the line does not. */
static bool read_inside(struct perfscript_reader *r, const char *line, const char *text, size_t len)
{
	if (r->state == IN_OTHER || (!r->flat && read_frame(r, text, len)))
		return true;
	if (text == line + 2 && r->stacks.nr && !r->stacks.deep && !is_detail(text, len)) {
		read_source(r, text, len);
		return true;
	}
	return is_detail(text, len);
}

/* Lines of samples whose fields make no header, too. */
static bool read_outside(
	struct perfscript_reader *r, const char *line, const char *text, size_t len)
{
	struct perf_header none = {.comm = "", .event = "", .rest = ""};
	struct perf_frame ignored;

	if (read_header(r, text, len))
		return true;
	if (r->state != BETWEEN)
		return read_inside(r, line, text, len);
	if (!perfline_frame(&ignored, text, len))
		return false;
	begin_sample(r, &none);
	return read_inside(r, line, text, len);
}

static void read_line(struct perfscript_reader *r, const char *line, size_t len)
{
	const char *text = line, *end = line + len;
	bool indented = len && is_blank(*line);

	while (text < end && is_blank(*text))
		text++;
	while (end > text && is_blank(end[-1]))
		end--;
	len = (size_t)(end - text);
	if (!len) {
		end_sample(r);
		return;
	}
	if (*line == '#')
		return;
	if (indented && r->state != BETWEEN && !r->flat && read_inside(r, line, text, len))
		return;
	if (!read_outside(r, line, text, len))
		reject(r, text, len);
}

static void read_too_long(struct perfscript_reader *r)
{
	said_add(&r->too_long, r->line, "", 0);
	if (r->state == IN_SAMPLE)
		stacks_push(&r->stacks, stacks_note(&r->stacks, "[unreadable]"));
}

/* perf ends its text with a line: another one is cut, and so is its sample. */
static void read_cut(struct perfscript_reader *r)
{
	if (r->state == IN_SAMPLE)
		stacks_push(&r->stacks, stacks_note(&r->stacks, "[truncated]"));
	else if (r->state == BETWEEN)
		r->p->account.lost[LOST_UNREADABLE]++;
}

static void tell_others(const struct perfscript_reader *r, struct strbuf *notes)
{
	struct strbuf what = STRBUF_INIT;

	strbuf_adds(&what, "samples of other events than '");
	message_add(&what, r->event.buf, r->event.len);
	strbuf_adds(&what, "' left out (--event shows another)");
	said_tell(&r->others, what.buf, notes);
	strbuf_release(&what);
}

static void tell(const struct perfscript_reader *r, const struct lines *lines, struct strbuf *notes)
{
	if (r->chosen)
		tell_others(r, notes);
	if (r->p->account.lost[LOST_TRANSPORT])
		strbuf_addf(notes, "perf lost %" PRIu64 " events\n",
			r->p->account.lost[LOST_TRANSPORT]);
	if (lines->unended)
		strbuf_adds(notes, "the last line has no end: the text is cut\n");
	said_tell(&r->unreadable, "lines left out because they are none of perf script's", notes);
	said_tell(
		&r->no_period, "samples left out because they lack the period of the first", notes);
	said_tell(&r->too_long, "lines too long for a frame", notes);
	said_tell(&r->too_deep, "stacks cut because they are too deep", notes);
	if (lines->error)
		strbuf_addf(notes, "cannot read: %s\n", strerror(lines->error));
}

static void reader_init(
	struct perfscript_reader *r, struct profile *p, const struct perfscript_options *options)
{
	*r = (struct perfscript_reader){
		.p = p,
		.options = options,
		.name = STRBUF_INIT,
		.event = STRBUF_INIT,
		.unreadable = SAID_INIT,
		.no_period = SAID_INIT,
		.others = SAID_INIT,
		.too_long = SAID_INIT,
		.too_deep = SAID_INIT,
	};
	memo_init(&r->frames);
	stacks_init(&r->stacks, p);
}

static void reader_release(struct perfscript_reader *r)
{
	memo_release(&r->frames);
	stacks_release(&r->stacks);
	strbuf_release(&r->name);
	strbuf_release(&r->event);
	said_release(&r->unreadable);
	said_release(&r->no_period);
	said_release(&r->others);
	said_release(&r->too_long);
	said_release(&r->too_deep);
}

static void read_lines(struct perfscript_reader *r, struct lines *lines)
{
	uint64_t too_long = 0;
	char *line;
	size_t len;

	while (lines_next(lines, &line, &len)) {
		r->line++;
		if (lines->unended)
			read_cut(r);
		else if (lines->too_long > too_long)
			read_too_long(r);
		else
			read_line(r, line, len);
		too_long = lines->too_long;
	}
	end_sample(r);
}

int perfscript_read(struct profile *p, struct lines *lines,
	const struct perfscript_options *options, bool *several, struct strbuf *notes)
{
	struct perfscript_reader r;
	int ret;

	reader_init(&r, p, options);
	read_lines(&r, lines);
	tell(&r, lines, notes);
	*several = r.stacks.several;
	ret = lines->unended || r.unreadable.nr || r.no_period.nr || r.too_long.nr || r.too_deep.nr;
	if (!r.chosen && options->event && !lines->error)
		ret = fail(notes, "it has no samples of event '%s', but of '%s'\n", options->event,
			r.others.text.buf);
	reader_release(&r);
	return lines->error ? -1 : ret;
}

/* Where modules are not printed, frames are known by their indentation. */
static bool is_indented_frame(const char *line, size_t len)
{
	enum { ADDRESS_END = 17 };

	return len > ADDRESS_END && *line == '\t' && !is_blank(line[ADDRESS_END - 1]) &&
	       is_blank(line[ADDRESS_END]);
}

bool perfscript_is_line(const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame f;
	const char *text = line, *end = line + len;

	if (perfline_header(&h, line, len) && (h.event_len || h.rest_len))
		return true;
	while (text < end && is_blank(*text))
		text++;
	while (end > text && is_blank(end[-1]))
		end--;
	return text < end && perfline_frame(&f, text, (size_t)(end - text)) &&
	       (end[-1] == ')' || is_indented_frame(line, len)) &&
	       !begins_with(f.name ? f.name : "", f.name_len, ": ");
}
