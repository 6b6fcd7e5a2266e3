/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as printed by perf script(1), with any of its fields. Modules and offsets of
 * frames are optional:
 *
 *	COMM PID/TID [CPU] TIME: PERIOD EVENT: …      each field is optional
 *		ADDRESS NAME+0xOFF (MODULE)           frames, leaf first
 *		ADDRESS NAME+0xOFF (inlined)
 *	  FILE:LINE                                   of the frame above, maybe with " (inlined)"
 *
 * A blank line ends a sample. A sample with one frame may be a single line:
 * COMM … EVENT: ADDRESS NAME+0xOFF (MODULE). Lines that begin with "#" are comments; other fields
 * (perffields.h) are skipped.
 *
 * Names are used as printed, without offset. A frame becomes FRAME_KERNEL or FRAME_JIT by its
 * module (module_frame.h), or FRAME_KERNEL by its address if modules are not printed. A
 * FRAME_INLINE frame gets the module of the function at the same address. A sample without frames
 * gets the note [no stack]. The task of a sample is the root frame (FRAME_TASK).
 */
#include "lib/lines.h"
#include "lib/pattern.h"
#include "lib/word.h"
#include "module_frame.h"
#include "notes.h"
#include "perffields.h"
#include "perfline.h"
#include "stackline.h"
#include "text_reader.h"

#include <inttypes.h>
#include <string.h>

enum { OTHER_EVENT = NOTES_COMMON, UNREADABLE, NO_PERIOD };

static const struct text_note_kind notes[] = {
	{NULL, NOTE_INFO},
	{"lines left out: not in perf script's format", NOTE_LOST},
	{"samples left out: no period, unlike the first", NOTE_LOST},
};

enum state { BETWEEN, IN_SAMPLE, IN_OTHER }; /* IN_OTHER is a sample of another event */

struct perfscript_reader {
	struct text_reader text; /* its stack_line is the first line of the sample */
	struct strbuf event;     /* the selected event, with modifiers */
	bool selected;           /* event is set */
	bool periods;            /* weights are periods */

	enum state state;
	bool flat;     /* the sample is a single line, with its only frame */
	bool tabs;     /* lines of frames begin with a tab, as perf prints them */
	bool blanks;   /* samples with lines of frames end in a blank line */
	uint32_t task; /* root frame of the current sample */
	uint64_t weight;
	uint32_t last; /* the entry of the last frame */
	uint64_t last_address;
	size_t nr_same; /* number of frames with this address, up to the last one */
};

static bool ends(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(s + len - strlen(with), with, strlen(with));
}

static enum frame_kind kind_of(const struct perf_frame *f)
{
	if (f->inlined)
		return FRAME_INLINE;
	if (!f->module_len)
		return f->name_len && f->address >> 47 == 0x1ffff ? FRAME_KERNEL : FRAME_USER;
	return module_kind(f->module, f->module_len);
}

static bool parse_frame(struct text_reader *r, const char *text, size_t len, uint32_t *entry)
{
	struct perf_frame f;

	if (!perfline_frame(&f, text, len))
		return false;
	enum frame_kind kind = kind_of(&f);

	if (f.name_len) {
		strbuf_reset(&r->name);
		strbuf_add(&r->name, f.name, f.name_len);
	} else {
		set_unnamed(&r->name, f.module_len ? f.module : "", f.module_len);
	}
	*entry = profile_frame(r->p, kind, r->name.buf, r->name.len, f.module, f.module_len);
	if (kind == FRAME_INLINE)
		*entry |= ENTRY_UNCOUNTED;
	else if (!f.name_len)
		*entry |= ENTRY_UNNAMED;
	return true;
}

/* Gives the module of the last frame to the functions that are inlined into it. */
static void set_inlined_modules(struct perfscript_reader *r, uint32_t module)
{
	struct stacks *s = &r->text.stacks;

	for (size_t i = 2; i <= r->nr_same && i <= s->nr; i++) {
		struct frame frame = r->text.p->frames[s->frames[s->nr - i]];

		if (frame.kind != FRAME_INLINE || frame.module)
			break;
		frame.module = module;
		s->frames[s->nr - i] = profile_add_frame(r->text.p, &frame);
	}
}

static void push(struct perfscript_reader *r, uint32_t entry, const char *text, const char *end)
{
	uint32_t module = r->text.p->frames[entry & ENTRY_FRAME].module;
	uint64_t address;

	stackline_address(text, end, &address);
	r->nr_same = address == r->last_address ? r->nr_same + 1 : 1;
	r->last_address = address;
	r->last = entry;
	text_push(&r->text, entry);
	if (module && r->nr_same > 1 && !r->text.stacks.deep)
		set_inlined_modules(r, module);
}

/* Returns false if the text is not a frame. */
static bool read_frame(struct perfscript_reader *r, const char *text, size_t len)
{
	uint32_t entry;

	if (!text_entry(&r->text, text, len, parse_frame, &entry))
		return false;
	push(r, entry, text, text + len);
	return true;
}

static void end_sample(struct perfscript_reader *r)
{
	if (r->state == IN_SAMPLE)
		stacks_add(&r->text.stacks, r->task, r->weight);
	r->state = BETWEEN;
	r->nr_same = 0;
}

/* Whether --event chooses the event. It may name the event with or without PMU and modifiers. */
static bool is_wanted(const char *wanted, const struct perf_header *h, const struct perf_event *e)
{
	size_t without_modifiers = (size_t)(e->name + e->name_len + e->has_pmu - h->event);

	return pattern_or_name_matches(wanted, h->event, h->event_len) ||
	       pattern_or_name_matches(wanted, h->event, without_modifiers) ||
	       pattern_or_name_matches(wanted, e->name, e->name_len);
}

static void set_event(
	struct perfscript_reader *r, const struct perf_header *h, const struct perf_event *e)
{
	strbuf_add(&r->event, h->event, h->event_len);
	r->selected = true;
	r->periods = h->has_period && !r->text.in->options->samples;
	strbuf_reset(&r->text.name);
	strbuf_add(&r->text.name, e->name, e->name_len);
	profile_set(&r->text.p->event, e->name_len ? r->text.name.buf : NULL);
	if (!r->periods)
		return;
	if (!strcmp(r->text.name.buf, "cpu-clock") || !strcmp(r->text.name.buf, "task-clock"))
		profile_set(&r->text.p->unit, "ns");
	else if (e->name_len)
		profile_set(&r->text.p->unit, r->text.name.buf);
}

/*
 * Whether the sample belongs to the selected event. An event of the same name and modifiers, but of
 * another PMU, belongs to it as well: on hybrid processors, perf has cpu_core/cycles/ and
 * cpu_atom/cycles/. The first event that --event chooses is selected; a pattern may choose it with
 * several modifiers.
 */
static bool is_selected(struct perfscript_reader *r, const struct perf_header *h)
{
	const char *wanted = r->text.in->options->event;
	struct perf_event e, selected;

	if (r->selected && r->event.len == h->event_len &&
		!memcmp(r->event.buf, h->event, h->event_len))
		return true;
	perfline_event(&e, h->event, h->event_len);
	if (!r->selected) {
		if (wanted && !is_wanted(wanted, h, &e))
			return false;
		set_event(r, h, &e);
		return true;
	}
	perfline_event(&selected, r->event.buf, r->event.len);
	if (perfline_same_event(&e, &selected))
		return !wanted || is_wanted(wanted, h, &e);
	return wanted && strchr(wanted, '*') && e.name_len == selected.name_len &&
	       !memcmp(e.name, selected.name, e.name_len) && is_wanted(wanted, h, &e);
}

static void begin_sample(struct perfscript_reader *r, const struct perf_header *h)
{
	const struct text_options *options = r->text.in->options;
	struct task task = {h->pid, h->tid, h->comm, h->comm_len};
	uint64_t id = options->threads ? h->tid : options->processes ? h->pid : 0;

	r->state = IN_OTHER;
	r->flat = false;
	r->text.stack_line = r->text.line;
	if (!is_selected(r, h)) {
		text_note(&r->text, OTHER_EVENT, r->text.line, h->event, h->event_len);
		return;
	}
	if (r->periods && !h->has_period) {
		text_note(&r->text, NO_PERIOD, r->text.line, h->comm, h->comm_len);
		return;
	}
	r->state = IN_SAMPLE;
	r->weight = r->periods && h->period ? h->period : 1;
	r->task = h->has_task ? stacks_task(&r->text.stacks, &task, id) : 0;
}

/*
 * Reads the text of PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES, "lost N". Ignores other records.
 */
static void read_record(struct perfscript_reader *r, const struct perf_header *h)
{
	uint64_t n;

	if (!begins_with(h->event, h->event_len, "PERF_RECORD_LOST") ||
		!begins_with(h->rest, h->rest_len, "lost ") ||
		!parse_u64(h->rest + 5, h->rest_len - 5, 10, &n))
		return;
	add_capped(&r->text.p->account.lost[LOST_TRANSPORT], n);
}

/* Whether the event is a tracepoint, after which perf prints the tracepoint's text. */
static bool is_tracepoint(const struct perf_header *h)
{
	struct perf_event e;

	perfline_event(&e, h->event, h->event_len);
	return memchr(e.name, ':', e.name_len) && !memchr(h->event, '/', h->event_len);
}

/* The line of a metric looks like a header: "COMM … TIME: <tab>metric: 1.2 insn per cycle". */
static bool is_metric(const struct perf_header *h)
{
	return h->event_len == 6 && !memcmp(h->event, "metric", 6) && h->event[-1] == '\t';
}

static bool read_header(struct perfscript_reader *r, const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame ignored;

	if (!perfline_header(&h, line, len))
		return false;
	if (is_metric(&h))
		return true;
	end_sample(r);
	if (h.is_record) {
		read_record(r, &h);
		return true;
	}
	begin_sample(r, &h);
	if (!h.rest_len || (h.event_len && is_tracepoint(&h)) ||
		!perffields_narrow(&h.rest, &h.rest_len))
		return true;
	if (!memchr(h.rest, ' ', h.rest_len))
		return true;
	r->flat = r->state == IN_SAMPLE ? read_frame(r, h.rest, h.rest_len)
					: perfline_frame(&ignored, h.rest, h.rest_len);
	return true;
}

/* Removes " (inlined)". Returns false if the text does not end in it. */
static bool cut_inlined(const char *text, size_t *len)
{
	static const char inlined[] = " (inlined)";
	bool is_inlined = ends(text, *len, inlined);

	*len -= is_inlined ? sizeof(inlined) - 1 : 0;
	return is_inlined;
}

/* Returns "f.c:12" for "/src/f.c:12", in the profile's names, or 0 if the line is unknown. */
static uint32_t source_of(struct perfscript_reader *r, const char *text, size_t len)
{
	const char *slash = memrchr(text, '/', len), *end = text + len, *digits = end;
	const char *file = slash ? slash + 1 : text;

	while (digits > file && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || *digits == '0' || digits < file + 2 || digits[-1] != ':')
		return 0;
	return strpool_add(&r->text.p->names, file, (size_t)(end - file));
}

/* Reads the source line below a frame. */
static void read_source(struct perfscript_reader *r, const char *text, size_t len)
{
	struct frame frame = r->text.p->frames[r->last & ENTRY_FRAME];
	uint32_t entry = r->last & ~(uint32_t)ENTRY_FRAME;

	if (cut_inlined(text, &len)) {
		frame.kind = FRAME_INLINE;
		entry = ENTRY_UNCOUNTED;
	}
	if (r->text.in->options->sources && !(entry & ENTRY_UNNAMED))
		frame.source = source_of(r, text, len);
	stacks_pop(&r->text.stacks, r->last);
	r->last = profile_add_frame(r->text.p, &frame) | entry;
	stacks_push(&r->text.stacks, r->last);
}

/* Whether a line in or after a sample comes from a field other than the frames. */
static bool is_detail(
	const struct perfscript_reader *r, const char *line, const char *text, size_t len)
{
	return *text == '|' || perffields_is_detail(line, text, len) ||
	       perffields_has_branches(text, len) ||
	       (r->tabs && *line != '\t' && perffields_is_numbers(text, len));
}

/* Reads a line of the current sample. Returns false if the line is not part of it. */
static bool read_inside(struct perfscript_reader *r, const char *line, const char *text, size_t len)
{
	if (r->state == IN_OTHER)
		return true;
	if (!r->flat && (!r->tabs || *line == '\t') && read_frame(r, text, len)) {
		r->tabs = *line == '\t';
		return true;
	}
	if (is_detail(r, line, text, len))
		return true;
	if (text != line + 2 || !r->text.stacks.nr || r->text.stacks.deep)
		return false;
	read_source(r, text, len);
	return true;
}

/*
 * Forgets the frame after the event if a line with a frame follows. The text after the event was
 * then another field, not the only frame.
 */
static void check_flat(struct perfscript_reader *r, const char *text, size_t len)
{
	struct perf_frame ignored;

	if (!perfline_frame(&ignored, text, len))
		return;
	stacks_forget(&r->text.stacks);
	r->nr_same = 0;
	r->flat = false;
}

/* Reads a line between samples. With some sets of fields, a sample has no header. */
static bool read_outside(
	struct perfscript_reader *r, const char *line, const char *text, size_t len)
{
	struct perf_header none = {.comm = "", .event = "", .rest = ""};
	struct perf_frame ignored;

	if (perffields_is_detail(line, text, len) && (is_blank(*line) || *line == '|'))
		return true;
	if (read_header(r, text, len))
		return true;
	if (r->state != BETWEEN)
		return read_inside(r, line, text, len);
	if (perffields_has_branches(text, len))
		return true;
	if (!perfline_frame(&ignored, text, len))
		return false;
	begin_sample(r, &none);
	return read_inside(r, line, text, len);
}

/*
 * Whether an indented line is the next header. Without backtraces, perf script indents its lines
 * with blanks and prints no empty lines between them. Lines of a backtrace begin with a tab.
 */
static bool is_next_header(const char *line, const char *text, size_t len)
{
	struct perf_header h;

	return *line == ' ' && perfline_header(&h, text, len) && h.event_len;
}

static void read_line(struct perfscript_reader *r, const char *line, size_t len)
{
	const char *text = line;
	bool indented = len && is_blank(*line);

	text_trim(&text, &len);
	if (!len) {
		r->blanks |= r->state == IN_SAMPLE && !r->flat;
		end_sample(r);
		return;
	}
	if (*line == '#')
		return;
	if (r->flat && *line == '\t')
		check_flat(r, text, len);
	if (indented && r->state != BETWEEN && !r->flat && !is_next_header(line, text, len) &&
		read_inside(r, line, text, len))
		return;
	if (!read_outside(r, line, text, len))
		text_note(&r->text, UNREADABLE, r->text.line, text, len);
}

static void read_too_long(struct perfscript_reader *r)
{
	text_note(&r->text, NOTE_TOO_LONG, r->text.line, "", 0);
	if (r->state == IN_SAMPLE)
		stacks_push(&r->text.stacks, stacks_note(&r->text.stacks, "[unreadable]"));
}

/*
 * Marks the last sample as truncated, or counts it as lost. The text ends in it or in one of its
 * lines.
 */
static void cut_sample(struct perfscript_reader *r)
{
	if (r->state == IN_SAMPLE)
		stacks_push(&r->text.stacks, stacks_note(&r->text.stacks, "[truncated]"));
	else if (r->state == BETWEEN)
		r->text.p->account.lost[LOST_UNREADABLE]++;
}

/*
 * Whether the last sample lacks the blank line that ends the other samples, as in the output of
 * perf script | head -1000.
 */
static bool is_cut(const struct perfscript_reader *r)
{
	return r->blanks && r->state == IN_SAMPLE && !r->flat && !r->text.in->lines->unended;
}

static void note_others(const struct perfscript_reader *r, struct strbuf *out)
{
	struct strbuf what = STRBUF_INIT;

	strbuf_adds(&what, "samples left out: of events other than '");
	message_add(&what, r->event.buf, r->event.len);
	strbuf_adds(&what, "' (select one with --event)");
	text_note_write(&r->text.notes[OTHER_EVENT], what.buf, out);
	strbuf_release(&what);
}

static int end_input(struct perfscript_reader *r)
{
	const struct text_input *in = r->text.in;
	const uint64_t *lost = in->p->account.lost;
	bool cut = is_cut(r);
	int ret;

	if (cut) {
		cut_sample(r);
		strbuf_addf(in->notes,
			"the last sample (line %" PRIu64 ") has no blank line behind it: it may be "
			"truncated\n",
			r->text.stack_line);
	}
	end_sample(r);
	if (r->selected)
		note_others(r, in->notes);
	if (lost[LOST_TRANSPORT])
		strbuf_addf(in->notes, "perf lost %" PRIu64 " events\n", lost[LOST_TRANSPORT]);
	ret = text_end(&r->text);
	if (!r->selected && in->options->event && ret >= 0)
		return fail(in->notes, "no samples of event '%s', only of '%s'\n",
			in->options->event, r->text.notes[OTHER_EVENT].text.buf);
	return ret < 0 ? ret : ret || cut;
}

static int perfscript_read(struct text_input *in)
{
	struct perfscript_reader r = {.event = STRBUF_INIT};
	const char *line;
	size_t len;
	int ret;

	text_begin(&r.text, in, notes, ARRAY_LEN(notes));
	while (text_next(&r.text, &line, &len)) {
		if (in->lines->unended)
			cut_sample(&r);
		else if (r.text.cut)
			read_too_long(&r);
		else
			read_line(&r, line, len);
	}
	ret = end_input(&r);
	text_release(&r.text);
	strbuf_release(&r.event);
	return ret;
}

/*
 * Whether an address stands where perf prints it: after a tab or right-aligned. If the indentation
 * is lost, a long address is enough.
 */
static bool is_in_place(const char *line, const char *text, size_t len)
{
	enum { WIDTH = 16, LONG = 5 };
	const char *blank = memchr(text, ' ', len);
	size_t n = blank ? (size_t)(blank - text) : len;

	return *line == '\t' || n >= LONG || (size_t)(text - line) + n >= WIDTH;
}

/* Whether the line is a frame by its indentation. This finds frames if modules are not printed. */
static bool is_indented_frame(const char *line, size_t len)
{
	enum { ADDRESS_END = 17 };

	return len > ADDRESS_END && *line == '\t' && !is_blank(line[ADDRESS_END - 1]) &&
	       is_blank(line[ADDRESS_END]);
}

static bool perfscript_is_line(const char *line, size_t len)
{
	struct perf_header h;
	struct perf_frame f;
	const char *text = line;
	size_t n = len;

	if (perfline_header(&h, line, len) && (h.event_len || h.rest_len))
		return true;
	text_trim(&text, &n);
	return n && perfline_frame(&f, text, n) && is_in_place(line, text, n) &&
	       (text[n - 1] == ')' || is_indented_frame(line, len)) &&
	       !begins_with(f.name ? f.name : "", f.name_len, ": ");
}

/* Whether the line is a source line, another field, or a header or frame with few fields. */
static bool perfscript_is_part(const char *line, size_t len)
{
	struct perf_header h;
	const char *text = line;
	size_t n = len;

	text_trim(&text, &n);
	return *line == '\t' || text == line + 2 || perffields_is_detail(line, text, n) ||
	       perffields_has_branches(text, n) || perffields_is_numbers(text, n) ||
	       perfline_header(&h, line, len);
}

const struct text_format perfscript_format = {
	.name = "perf script",
	.is_line = perfscript_is_line,
	.is_part = perfscript_is_part,
	.votes = 1,
	.has_meta = true,
	.has_tasks = true,
	.read = perfscript_read,
};
