/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top_load.h"
#include "input/input.h"
#include "lib/lines.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/recording_time.h"
#include "symbol/names/demangle_profile.h"
#include "view/filter.h"
#include "view/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000ULL

void top_load_init(struct top_load *l, const struct top_options *options)
{
	*l = (struct top_load){
		.options = options, .fd = -1, .title = STRBUF_INIT, .unit = STRBUF_INIT};
	top_names_init(&l->names);
}

static void release_profile(struct top_load *l)
{
	if (l->is_loaded)
		profile_release(&l->profile);
	l->is_loaded = false;
}

void top_load_release(struct top_load *l)
{
	release_profile(l);
	top_names_release(&l->names);
	strbuf_release(&l->title);
	strbuf_release(&l->unit);
	if (l->fd >= 0)
		close(l->fd);
}

void top_load_take(struct top_load *l, int fd)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = fd;
}

/* Returns the slices that are over; the last one has just begun, unless it is the only one. */
static uint32_t whole_slices(const struct recording *rec)
{
	return rec->slices.nr > 1 ? rec->slices.nr - 1 : rec->slices.nr;
}

/* Returns the part of the time that T shows. */
static struct time_range window_of(const struct top *t, const struct recording *rec)
{
	uint64_t end = whole_slices(rec) * rec->slices.ns, length = t->window * SECOND;

	if (!t->window || !rec->slices.nr)
		return (struct time_range){0};
	return (struct time_range){
		{TIME_BEGIN, end > length ? end - length : 0}, {TIME_BEGIN, end}};
}

/* Adds up the activity of the last slices of the shown event. */
static void add_activity(
	struct top_load *l, const struct recording *rec, const struct recording_view *view)
{
	uint32_t nr = whole_slices(rec);
	uint32_t before = nr > TOP_ACTIVITY ? nr - TOP_ACTIVITY : 0;

	l->nr_activity = nr - before;
	memset(l->activity, 0, sizeof(l->activity));
	for (size_t i = 0; i < rec->nr_rows; i++) {
		if (!recording_shows(rec, view, &rec->rows[i]))
			continue;
		struct series_reader r = series_read(&rec->series, rec->rows[i].series);

		while (series_next(&r))
			for (uint32_t k = r.item.slice; k <= r.item.slice + r.item.more; k++)
				if (k > before && k <= nr)
					add_capped(&l->activity[k - before - 1], r.item.sum);
	}
}

static void describe(struct top_load *l, const struct recording *rec)
{
	const char *heading = recording_meta(rec, "heading"), *seconds;
	const char *title = heading ? heading : recording_meta(rec, "title");
	const char *target = heading ? NULL : recording_meta(rec, "target");

	seconds = recording_meta(rec, "seconds");
	l->seconds = (double)rec->slices.begin / 1e9 + (seconds ? strtod(seconds, NULL) : 0);
	strbuf_reset(&l->title);
	strbuf_addf(
		&l->title, "%s%s%s", title ? title : "", target ? ": " : "", target ? target : "");
}

static void find_choices(const struct recording *rec, struct top *t)
{
	t->nr_events = (uint32_t)rec->nr_events;
	if (t->event >= t->nr_events)
		t->event = 0;
	for (size_t i = 0; i < rec->labels.nr_pairs; i++) {
		const char *key = recording_get(rec, rec->labels.pairs[i].key);

		if (strcmp(key, RECORDING_RANGE) != 0)
			top_add_label(t, key);
	}
}

/* Reads the recording into REC, which was just initialised. */
static int read_recording(struct top_load *l, struct recording *rec, struct strbuf *err)
{
	struct lines lines;

	if (l->fd < 0 || lseek(l->fd, 0, SEEK_SET))
		return -1;
	lines_init(&lines, l->fd);
	int ret = recording_read(rec, &lines, err);

	lines_release(&lines);
	return ret;
}

/* Sets VIEW to what T shows of REC. */
static void choose_view(const struct top_load *l, const struct recording *rec, const struct top *t,
	struct recording_view *view)
{
	*view = *l->options->view;
	view->times = false;
	top_set_view(t, view);
	recording_leave_out_asleep(rec, view);
}

/* The functions that wait are shown, not the notes at the leaves that tell their states. */
static void leave_out_states(struct profile *p)
{
	bool *out = xcalloc(p->nr_frames, sizeof(*out));

	for (uint32_t i = 1; i < p->nr_frames; i++)
		out[i] = p->frames[i].label == LABEL_STATE || p->frames[i].kind == FRAME_TASK;
	profile_leave_out(p, out);
	free(out);
}

/* Makes the call tree that T shows of REC, which has names. */
static void fold(const struct top_load *l, const struct recording *rec, const struct top *t,
	const struct recording_view *view, struct profile *p)
{
	struct strbuf notes = STRBUF_INIT;

	profile_init(p);
	recording_to_profile(rec, view, p);
	demangle_profiles(&p, 1, l->options->symbol->demangle);
	filter_apply(&(struct filter){.skid = l->options->skid}, p, &notes);
	if (t->view == TOP_FUNCTIONS || t->view == TOP_CALLERS)
		leave_out_states(p);
	if (t->view == TOP_CALLERS)
		filter_turn(p, &notes);
	profile_finish(p);
	strbuf_release(&notes);
}

int top_load_show(struct top_load *l, struct top *t, struct strbuf *err)
{
	struct recording rec;
	struct recording_view view;
	struct strbuf notes = STRBUF_INIT;
	int ret;

	recording_init(&rec);
	ret = read_recording(l, &rec, err);
	if (!ret) {
		find_choices(&rec, t);
		choose_view(l, &rec, t, &view);
		add_activity(l, &rec, &view);
		describe(l, &rec);
		const struct time_range window = window_of(t, &rec);

		recording_select_time(&rec, &window, &notes);
		top_names_resolve(&l->names, &rec, l->options->symbol);
		t->profile = NULL;
		release_profile(l);
		fold(l, &rec, t, &view, &l->profile);
		l->is_loaded = true;
		strbuf_reset(&l->unit);
		strbuf_adds(&l->unit, l->profile.unit ? l->profile.unit : "");
		top_show(t, &l->profile);
	}
	strbuf_release(&notes);
	recording_release(&rec);
	return ret;
}

/* Writes what T shows of REC, which has no names yet. */
static int write_file(struct top_load *l, struct recording *rec, const struct top *t,
	const char *path, struct strbuf *err)
{
	struct symbol_options symbol = *l->options->symbol;
	struct recording_view view;
	struct profile profile;
	struct strbuf notes = STRBUF_INIT;

	symbol.quiet = true;
	symbol.debuginfod = DEBUGINFOD_NEVER;
	const struct time_range window = window_of(t, rec);

	recording_select_time(rec, &window, &notes);
	choose_view(l, rec, t, &view);
	view.times = true;
	symbol_resolve(rec, &symbol, NULL, &notes);
	fold(l, rec, t, &view, &profile);
	int ret = output_write(
		&(struct output){rec, &view, symbol.demangle, &profile, l->options->skid},
		(enum output_format)output_format(path), path, err);

	profile_release(&profile);
	strbuf_release(&notes);
	return ret;
}

void top_load_save(struct top_load *l, struct top *t)
{
	const char *path = top_file(t);
	struct strbuf err = STRBUF_INIT;
	struct recording rec;

	strbuf_reset(&t->message);
	if (output_format(path) < 0) {
		strbuf_addf(&t->message, "use a name that ends in one of %s", output_endings());
		return;
	}
	recording_init(&rec);
	if (read_recording(l, &rec, &err) || write_file(l, &rec, t, path, &err)) {
		strbuf_add(&t->message, err.buf, strcspn(err.buf, "\n"));
	} else {
		strbuf_adds(&t->message, "wrote ");
		message_add_path(&t->message, path);
	}
	recording_release(&rec);
	strbuf_release(&err);
}
