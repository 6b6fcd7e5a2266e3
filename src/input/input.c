/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input.h"
#include "fleet_program.h"
#include "lib/lines.h"
#include "lib/pattern.h"
#include "lib/similar.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/recording_time.h"
#include "perfdata/perfdata.h"
#include "text_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_SAID = 8 };

/*
 * Adds the account of the previous inputs to P's account, which is the account of the last input
 * only. The sum is known only if both accounts are known.
 */
static void add_account(struct profile *p, const struct account *before, bool first)
{
	struct account *sum = &p->account;

	sum->known = sum->known && (first || before->known);
	add_capped(&sum->kept, before->kept);
	add_capped(&sum->left_out, before->left_out);
	add_capped(&sum->asleep, before->asleep);
	add_capped(&sum->nr_asleep, before->nr_asleep);
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
	return p->nr_nodes == 1 && !account_lost(&p->account) && !p->counted[0].unit;
}

void input_recording(struct profile *p, struct recording *rec, const struct input_options *options,
	struct symbol_report *report, struct strbuf *notes)
{
	struct recording_view view = options->view;

	view.comm |= recording_has_several_processes(rec, &view);
	symbol_resolve(rec, &options->symbol, report, notes);
	recording_to_profile(rec, &view, p);
}

/*
 * Returns -1 with a message if stacks that are REVERSED, or not, cannot be in one tree with the
 * stacks of P.
 */
static int check_direction(const struct profile *p, bool reversed, struct strbuf *err)
{
	if (nothing_yet(p) || p->reversed == reversed)
		return 0;
	return fail(err,
		"its stacks begin at the %s, those of the inputs before it at the %s: view them "
		"separately\n",
		reversed ? "leaf" : "root", p->reversed ? "leaf" : "root");
}

/* Returns -1 with a message if units, events or directions of OWN and P differ. */
static int check_counts(const struct profile *p, const struct profile *own, struct strbuf *err)
{
	const char *counts = nothing_yet(p) ? NULL : profile_differs(own, p);

	if (!counts)
		return check_direction(p, own->reversed, err);
	return fail(err, "it counts %s, the inputs before it %s: view them separately\n", counts,
		profile_differs(p, own));
}

static void add_quoted(const char *before, const char *name, struct strbuf *out)
{
	strbuf_adds(out, before);
	strbuf_addch(out, '\'');
	message_add(out, name, strlen(name));
	strbuf_addch(out, '\'');
}

int input_choose_event(const struct recording *rec, const char *name, struct recording_view *view,
	struct strbuf *err)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < rec->nr_events; i++) {
		const char *event = recording_get(rec, rec->events[i].name);

		if (!pattern_or_name_matches(name, event, strlen(event)))
			continue;
		view->event = (int)i;
		return 0;
	}
	add_quoted("it has no event ", name, err);
	for (size_t i = 0; i < rec->nr_events && i < EVENTS_SAID; i++)
		add_quoted(i ? ", " : "; it has ", recording_get(rec, rec->events[i].name), err);
	return fail(err, "\n");
}

static int check_recording(const struct profile *p, const struct recording *rec,
	const struct recording_view *view, struct strbuf *err)
{
	uint32_t event = recording_viewed_event(rec, view);
	struct profile own = {0};
	int ret;

	if (event < rec->nr_events) {
		profile_set(&own.unit, recording_get(rec, rec->events[event].unit));
		ret = check_counts(p, &own, err);
		free(own.unit);
		return ret;
	}
	return view->event < 0 ? 0 : fail(err, "it has no event %" PRIu32 "\n", event);
}

/*
 * Whether both profiles have tasks, and no task of OWN is among the first NR frames of P. FRAME_OF
 * maps OWN's frames to P's frames.
 */
static bool has_other_tasks(
	const struct profile *p, uint32_t nr, const struct profile *own, const uint32_t *frame_of)
{
	bool before = false, now = false;

	for (uint32_t i = 1; i < nr; i++)
		before |= p->frames[i].kind == FRAME_TASK && !p->frames[i].label;
	for (uint32_t i = 1; i < own->nr_frames; i++) {
		if (own->frames[i].kind != FRAME_TASK || own->frames[i].label)
			continue;
		if (frame_of[i] < nr)
			return false;
		now = true;
	}
	return before && now;
}

static void add_tree(struct profile *p, const struct profile *own)
{
	uint32_t nr = p->nr_frames, *frame_of = profile_import_frames(p, own);

	p->tasks |= has_other_tasks(p, nr, own, frame_of);
	profile_add_tree(p, own, frame_of);
	p->account = own->account;
	cuts_add_all(&p->cuts, &own->cuts);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_merge(&p->counted[i], &own->counted[i]);
	ranges_merge(&p->ranges, &own->ranges);
	free(frame_of);
}

/* Adds the profile of one input to P. The contents of OWN change; the caller releases it. */
static int add_own(struct profile *p, struct profile *own, struct strbuf *err)
{
	struct account before = p->account;
	struct profile old = *p;
	bool first = nothing_yet(p);

	if (check_counts(p, own, err) < 0)
		return -1;
	if (p->title) {
		profile_set(&own->title, p->title);
	} else if (!first) {
		profile_set(&p->title, own->title);
		p->titled = own->titled;
	}
	if (first) {
		*p = *own;
		*own = old;
	} else {
		p->times.nr = 0; /* the times of several recordings are not comparable */
		add_tree(p, own);
		origin_add(&p->origin, &own->origin);
	}
	if (!p->event)
		profile_set(&p->event, own->event);
	p->timing.mixed |= !first && p->timing.period != own->timing.period;
	timing_add(&p->timing, &own->timing);
	p->tasks |= own->tasks;
	p->states |= own->states;
	p->no_states |= own->no_states;
	add_capped(&p->unlabelled, own->unlabelled);
	add_account(p, &before, first);
	return 0;
}

/* Reads the part of a recording, or of perf.data, that OPTIONS select. */
static int read_selected(struct recording *rec, struct lines *lines,
	const struct input_options *options, struct strbuf *notes)
{
	const struct perfdata_options perfdata = {
		.folder = options->folder,
		.paths = {.root = options->symbol.root, .path = options->symbol.debug_path},
		.samples = options->samples,
		.branches = options->of_code,
		.by = options->view.by,
		.labels = options->view.labels,
	};
	const char *bytes;
	size_t n = lines_peek(lines, TEXT_HEAD, &bytes);
	bool is_perfdata = perfdata_is_head(bytes, n);

	if (options->of_code && n && !is_perfdata && !begins_with(bytes, n, RECORDING_MAGIC))
		return fail(notes, "it is no recording and no perf.data: only these have the "
				   "addresses that are needed\n");
	int ret = is_perfdata ? perfdata_read(rec, lines, &perfdata, notes)
			      : recording_read(rec, lines, notes);

	if (ret < 0)
		return -1;
	if (rec->nr_branches && !time_range_is_open(&options->time)) {
		strbuf_adds(notes, "its branches have no times: samples are used in their place\n");
		rec->nr_branches = 0;
	}
	return recording_select_time(rec, &options->time, notes);
}

static bool is_by_slice(const struct recording_view *view)
{
	return view->by && !strcmp(view->by, RECORDING_SLICE);
}

static int read_recording(struct profile *p, struct lines *lines,
	const struct input_options *options, struct strbuf *err)
{
	struct recording_view view = options->view;
	struct recording rec;
	struct profile own;
	int ret = -1;

	view.comm = view.note_states = true;
	view.times &= !is_by_slice(&view);
	recording_init(&rec);
	profile_init(&own);
	if (read_selected(&rec, lines, options, err) < 0 ||
		(is_by_slice(&view) && recording_split_slices(&rec, err) < 0) ||
		input_choose_event(&rec, options->event, &view, err) < 0 ||
		check_recording(p, &rec, &view, err) < 0)
		goto out;
	symbol_resolve(&rec, &options->symbol, NULL, err);
	recording_leave_out_asleep(&rec, &view);
	recording_to_profile(&rec, &view, &own);
	own.tasks = recording_has_several_processes(&rec, &view) || (view.timeline && own.times.nr);
	if (!add_own(p, &own, err))
		ret = recording_is_part(&rec, err) | !recording_has_selected(&rec, &view, err);
out:
	profile_release(&own);
	recording_release(&rec);
	return ret;
}

/* Returns 0, or 1 with a note if no stack of P has the label that is asked for. */
static int check_label(
	const struct profile *p, const struct recording_view *view, struct strbuf *notes)
{
	struct similar similar;

	if (!view->by || p->nr_nodes == 1)
		return 0;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (p->frames[i].label == LABEL_BY)
			return 0;
	similar_init(&similar, view->by);
	strbuf_adds(notes, "no stack has the label ");
	message_add_path(notes, view->by);
	recording_end_no_key(view, &similar, notes);
	return 1;
}

/* Formats with tasks and a unit are first read into a profile of their own. */
static int read_own(struct profile *p, const struct text_format *format, struct text_input *in,
	const struct recording_view *view, struct strbuf *err)
{
	struct profile own;
	int ret;

	profile_init(&own);
	in->p = &own;
	ret = format->read(in);
	own.tasks = in->several;
	if (ret >= 0)
		ret |= check_label(&own, view, err);
	if (ret >= 0 && add_own(p, &own, err) < 0)
		ret = -1;
	profile_release(&own);
	return ret;
}

static int read_text(struct profile *p, struct lines *lines, const struct text_format *format,
	const struct input_options *options, struct strbuf *err)
{
	const struct text_options text = {
		.sources = options->view.lines,
		.threads = options->view.threads,
		.processes = options->view.processes,
		.samples = options->samples,
		.event = options->event,
		.labels = options->view.labels,
		.tasks = options->view.tasks,
		.by = options->view.by,
		.label_sets = options->view.label_sets,
		.places = options->view.places,
	};
	struct text_input in = {.lines = lines, .options = &text, .p = p, .notes = err};
	struct account before = p->account;
	bool first = nothing_yet(p);

	if (text.tasks && !format->has_tasks)
		return fail(err,
			"it does not tell threads apart, which --pid, --tid and --comm select\n");
	if (!time_range_is_open(&options->time))
		return fail(err, "it does not tell when: only recordings have slices of time\n");
	if (format->has_meta)
		return read_own(p, format, &in, &options->view, err);
	if (check_direction(p, false, err) < 0)
		return -1;
	p->account = (struct account){0};
	p->timing.mixed |= p->timing.period != 0;

	int ret = format->read(&in);

	add_account(p, &before, first);
	return ret < 0 ? ret : ret | check_label(p, &options->view, err);
}

/* Skips the byte order mark that editors and PowerShell put before a text in UTF-8. */
static void skip_bom(struct lines *lines)
{
	static const char bom[] = "\xef\xbb\xbf";
	const char *bytes;
	size_t n = strlen(bom);

	if (lines_peek(lines, n, &bytes) == n && !memcmp(bytes, bom, n))
		lines_take(lines, n, &bytes);
}

static int read_lines(struct profile *p, struct lines *lines, const struct input_options *options,
	struct strbuf *err)
{
	const char *bytes;

	skip_bom(lines);

	size_t n = lines_peek(lines, TEXT_HEAD, &bytes);

	if (lines->error)
		return fail(err, "%s\n", strerror(lines->error));
	if (begins_with(bytes, n, RECORDING_MAGIC) || perfdata_is_head(bytes, n))
		return read_recording(p, lines, options, err);
	while (n && (is_blank(bytes[n - 1]) || bytes[n - 1] == '\r' || bytes[n - 1] == '\n'))
		n--;
	if (!n && lines_damage(lines))
		return -1;
	if (!n) {
		strbuf_adds(err, "it is empty\n");
		return 0;
	}
	const char *why;
	const struct text_format *format = text_format_of(bytes, n, &why);

	if (!format)
		return fail(err, "%s\n", why);
	return read_text(p, lines, format, options, err);
}

/*
 * Whether states are not shown, because they do not differ or are too many, as in
 * recording_mixes_states.
 */
static bool states_are_idle(struct profile *const *profiles, size_t nr)
{
	struct strpool different;
	bool states = false, no_states = false;

	strpool_init(&different);
	for (size_t i = 0; i < nr; i++) {
		const struct profile *p = profiles[i];

		states |= p->states;
		no_states |= p->no_states;
		for (uint32_t k = 1; k < p->nr_frames; k++)
			if (p->frames[k].label == LABEL_STATE)
				strpool_import(&different, &p->names, p->frames[k].name);
	}
	uint32_t n = different.nr - 1 + no_states;

	strpool_release(&different);
	return states && (n < 2 || n > RECORDING_STATES_MAX);
}

/*
 * Removes frames of tasks and states. FORGET clears labels, so that frames of the same name are
 * equal.
 */
static void leave_out(struct profile *p, bool tasks, bool states, bool forget)
{
	bool *out = xcalloc(p->nr_frames, sizeof(*out)), any = false;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		struct frame *f = &p->frames[i];

		out[i] = (tasks && f->kind == FRAME_TASK && f->label != LABEL_BY) ||
			 (states && f->label == LABEL_STATE);
		any |= out[i] || (forget && f->label);
		f->label = forget ? LABEL_NONE : f->label;
	}
	if (any)
		profile_leave_out(p, out);
	free(out);
}

void input_settle(struct profile *const *profiles, size_t nr, const struct recording_view *view)
{
	bool tasks = view->comm || view->threads || view->processes,
	     states = states_are_idle(profiles, nr);

	bool forget = view->by != NULL;

	for (size_t i = 0; i < nr; i++) {
		tasks |= profiles[i]->tasks;
		forget |= profiles[i]->states;
	}
	for (size_t i = 0; i < nr; i++)
		leave_out(profiles[i], !tasks, states,
			forget && !view->label_sets && !view->keep_labels);
}

/* Appends each line of NOTES as "'PATH': LINE". */
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

/*
 * Replaces NOTES by a message if the compressed data are damaged, which is the reason for all other
 * problems.
 */
static int add_damage(const struct lines *lines, int ret, struct strbuf *notes)
{
	const char *damage = lines_damage(lines);

	if (!damage)
		return ret;
	strbuf_reset(notes);
	strbuf_addf(notes, "%s%s\n", damage, ret < 0 ? "" : ": what is before is used");
	return ret < 0 ? ret : 1;
}

static int read_open(struct profile *p, struct recording *rec, int fd,
	const struct input_options *options, struct strbuf *notes)
{
	struct lines lines;

	lines_init(&lines, fd);
	lines_decompress(&lines);

	int ret = rec ? read_selected(rec, &lines, options, notes)
		      : read_lines(p, &lines, options, notes);

	ret = add_damage(&lines, ret, notes);
	lines_release(&lines);
	return ret;
}

/*
 * Opens PATH. Returns -1 with a message, or stdin if PATH is "-". If PATH is a URL of a fleet, *PID
 * becomes a process that writes the recording, otherwise 0.
 */
static int open_file(const char *path, pid_t *pid, struct strbuf *err)
{
	*pid = 0;
	if (fleet_program_takes(path))
		return fleet_program_start(path, pid, err);
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (fd >= 0)
		return fd;
	strbuf_adds(err, "cannot open ");
	message_add_path(err, path);
	return fail(err, ": %s\n", strerror(errno));
}

/* Reads into REC, or into P if that is NULL. */
static int read_file(struct profile *p, struct recording *rec, const char *path,
	const struct input_options *options, struct strbuf *err)
{
	pid_t pid;
	int fd = open_file(path, &pid, err);
	struct strbuf notes = STRBUF_INIT;

	if (fd < 0)
		return -1;
	int ret = read_open(p, rec, fd, options, &notes);

	if (fd != STDIN_FILENO)
		close(fd);
	int status = pid ? fleet_program_end(pid) : EXIT_OK;

	if (status > EXIT_PARTIAL) { /* it has said why, and has written nothing */
		strbuf_release(&notes);
		return -1;
	}
	if (status && ret >= 0)
		ret = 1;
	add_notes(err, fd == STDIN_FILENO ? "stdin" : path, &notes);
	strbuf_release(&notes);
	return ret;
}

/*
 * Sets *TIME to the range behind the last "@" of PATH. Returns the length of the path before it, or
 * 0 if there is no range.
 */
static size_t split_time(const char *path, struct time_range *time)
{
	const char *mark = strrchr(path, '@');

	if (!mark || !access(path, F_OK) || !time_range_parse(mark + 1, time))
		return 0;
	return (size_t)(mark - path);
}

/* Returns the perf.data in the folder PATH, as perf record --kcore makes it, or NULL. */
static char *data_in(const char *path)
{
	char *data = xasprintf("%s/data", path);

	if (!access(data, F_OK))
		return data;
	free(data);
	return NULL;
}

/*
 * Works like read_file(), with a PATH that may be a folder and may have a range of time behind it.
 */
static int read_part_of(struct profile *p, struct recording *rec, const char *path,
	const struct input_options *options, struct strbuf *err)
{
	struct input_options part = *options;
	size_t len = split_time(path, &part.time);
	char *file = xstrndup(path, len ? len : strlen(path)), *data = data_in(file);

	part.folder = data ? file : NULL;
	int ret = read_file(p, rec, data ? data : file, &part, err);

	free(data);
	free(file);
	return ret;
}

int input_read(struct profile *p, const char *path, const struct input_options *options,
	struct strbuf *err)
{
	return read_part_of(p, NULL, path, options, err);
}

int input_read_recording(struct recording *rec, const char *path,
	const struct input_options *options, struct strbuf *err)
{
	return read_part_of(NULL, rec, path, options, err);
}
