/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording in the format of sample-bt-recording(5). */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "recording.h"
#include "recording_words.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LANGUAGE_WORD(ID, name, ...) [STACK_##ID] = (name),
const char *const stack_kind_words[STACK_KINDS] = {[STACK_USER] = "user",
	[STACK_KERNEL] = "kernel",
	LANGUAGE_LIST(LANGUAGE_WORD)[STACK_WAKER] = "waker"};
#undef LANGUAGE_WORD
const char *const stack_end_words[END_KINDS] = {"root", "cut", "broken"};

enum { SERIES_LINE = 1 << 16 }; /* bytes of a line after which another one is begun */

struct recording_writer {
	const struct recording *rec;
	FILE *out;
	uint64_t lines;
	struct strbuf line;
};

static void add_string(struct recording_writer *w, uint32_t string)
{
	strbuf_addch(&w->line, ' ');
	word_add(&w->line, recording_get(w->rec, string), strpool_len(&w->rec->strings, string));
}

static void add_hex(struct recording_writer *w, uint64_t value)
{
	strbuf_addf(&w->line, " %" PRIx64, value);
}

/* Adds VALUE, or "-" unless KNOWN. */
static void add_known_hex(struct recording_writer *w, bool known, uint64_t value)
{
	if (known)
		add_hex(w, value);
	else
		strbuf_adds(&w->line, " -");
}

static void add_number(struct recording_writer *w, uint64_t value)
{
	strbuf_addch(&w->line, ' ');
	strbuf_addu(&w->line, value);
}

static void end_line(struct recording_writer *w)
{
	strbuf_addch(&w->line, '\n');
	fwrite(w->line.buf, 1, w->line.len, w->out);
	strbuf_reset(&w->line);
	w->lines++;
}

static void begin(struct recording_writer *w, const char *record)
{
	strbuf_adds(&w->line, record);
}

static void write_head(struct recording_writer *w)
{
	const struct recording *rec = w->rec;

	begin(w, RECORDING_MAGIC);
	add_number(w, RECORDING_VERSION);
	end_line(w);
	for (size_t i = 0; i < rec->nr_meta; i++) {
		begin(w, "meta");
		add_string(w, rec->meta[i].key);
		add_string(w, rec->meta[i].value);
		end_line(w);
	}
	begin(w, "kernel");
	add_string(w, rec->kernel_release);
	add_string(w, rec->kernel_build_id);
	add_known_hex(w, rec->kernel_text, rec->kernel_text);
	end_line(w);
	for (size_t i = 0; i < rec->nr_modules; i++) {
		begin(w, "module");
		add_string(w, rec->modules[i].name);
		add_string(w, rec->modules[i].build_id);
		add_hex(w, rec->modules[i].text);
		end_line(w);
	}
	for (size_t i = 0; i < rec->nr_sources; i++) {
		begin(w, "source");
		add_string(w, rec->sources[i].path);
		add_string(w, rec->sources[i].blob);
		strbuf_adds(&w->line, rec->sources[i].late ? " late" : " -");
		end_line(w);
	}
}

static void write_events_and_tasks(struct recording_writer *w)
{
	const struct recording *rec = w->rec;

	for (size_t i = 0; i < rec->nr_events; i++) {
		const struct rec_event *e = &rec->events[i];

		begin(w, "event");
		add_number(w, i);
		add_string(w, e->name);
		add_string(w, e->unit);
		add_number(w, e->period);
		add_string(w, e->clock);
		end_line(w);
	}
	if (rec->slices.ns) {
		begin(w, "slices");
		add_number(w, rec->slices.ns);
		add_number(w, rec->slices.nr);
		if (rec->slices.begin)
			add_number(w, rec->slices.begin);
		end_line(w);
	}
	for (size_t i = 0; i < rec->nr_tasks; i++) {
		const struct rec_task *t = &rec->tasks[i];

		begin(w, "task");
		add_number(w, i);
		add_number(w, t->pid);
		add_number(w, t->tid);
		add_number(w, t->start);
		add_string(w, t->comm);
		end_line(w);
	}
}

static void write_maps(struct recording_writer *w)
{
	const struct recording *rec = w->rec;

	for (size_t i = 0; i < rec->nr_maps; i++) {
		const struct rec_map *m = &rec->maps[i];

		begin(w, "map");
		add_number(w, i);
		add_number(w, m->pid);
		add_number(w, m->generation);
		add_hex(w, m->start);
		add_hex(w, m->end);
		add_hex(w, m->offset);
		add_string(w, m->build_id);
		add_string(w, m->path);
		add_known_hex(w, m->has_link, m->link);
		end_line(w);
	}
}

static void write_start(struct recording_writer *w, const struct rec_frame *f, size_t id)
{
	if (f->nr_names || !f->start)
		return;
	begin(w, "start");
	add_number(w, id);
	add_hex(w, f->start);
	strbuf_adds(&w->line, f->cold ? " cold" : " -");
	end_line(w);
}

static void write_names(struct recording_writer *w, const struct rec_frame *f, size_t id)
{
	for (uint32_t i = 0; i < f->nr_names; i++) {
		const struct rec_name *n = &w->rec->names[f->names + i];

		begin(w, "name");
		add_number(w, id);
		add_string(w, n->function);
		add_hex(w, n->offset);
		add_string(w, n->module);
		add_string(w, n->file);
		add_number(w, n->line);
		end_line(w);
	}
}

static void write_frames(struct recording_writer *w)
{
	for (size_t i = 0; i < w->rec->nr_frames; i++) {
		const struct rec_frame *f = &w->rec->frames[i];

		begin(w, "frame");
		add_number(w, i);
		strbuf_addf(&w->line, " %s", frame_kind_word(f->kind));
		if (f->place == AT_NAME) {
			strbuf_adds(&w->line, " name");
		} else {
			strbuf_adds(&w->line, f->call ? " call" : " pc");
			if (f->place == AT_MAP)
				add_number(w, f->map);
			else
				strbuf_adds(&w->line, " -");
			add_hex(w, f->addr);
		}
		end_line(w);
		write_start(w, f, i);
		write_names(w, f, i);
	}
}

static void write_stacks(struct recording_writer *w)
{
	const struct recording *rec = w->rec;

	for (size_t i = 0; i < rec->nr_stacks; i++) {
		const struct rec_stack *s = &rec->stacks[i];

		begin(w, "stack");
		add_number(w, i);
		strbuf_addf(&w->line, " %s %s", stack_kind_words[s->kind], stack_end_words[s->end]);
		add_string(w, s->cut_by);
		for (uint32_t k = 0; k < s->nr; k++)
			add_number(w, rec->frame_refs[s->first + k]);
		end_line(w);
	}
}

static void write_labels(struct recording_writer *w)
{
	const struct labels *labels = &w->rec->labels;

	for (size_t i = 0; i < labels->nr_pairs; i++) {
		begin(w, "label");
		add_number(w, i);
		add_string(w, labels->pairs[i].key);
		add_string(w, labels->pairs[i].value);
		end_line(w);
	}
}

/* Adds numbers separated by commas, or "-" if there are none. */
static void add_list(struct recording_writer *w, const uint32_t *list, size_t nr)
{
	strbuf_adds(&w->line, nr ? " " : " -");
	for (size_t i = 0; i < nr; i++) {
		if (i)
			strbuf_addch(&w->line, ',');
		strbuf_addu(&w->line, list[i]);
	}
}

static void add_stacks(struct recording_writer *w, const struct rec_row *row)
{
	size_t nr = 0;

	while (nr < ROW_STACKS && row->stacks[nr] != NO_STACK)
		nr++;
	add_list(w, row->stacks, nr);
}

static void add_labels(struct recording_writer *w, uint32_t set)
{
	uint32_t labels[LABEL_SET_MAX];

	add_list(w, labels, labels_get(&w->rec->labels, set, labels));
}

static void add_item(struct recording_writer *w, const struct series_item *item, uint32_t before)
{
	add_number(w, item->slice - before);
	if (item->count != 1 || item->sum != 1) {
		strbuf_addch(&w->line, '*');
		strbuf_addu(&w->line, item->count);
	}
	if (item->sum != item->count) {
		strbuf_addch(&w->line, '/');
		strbuf_addu(&w->line, item->sum);
	}
	if (item->more) {
		strbuf_addch(&w->line, '+');
		strbuf_addu(&w->line, item->more);
	}
}

/* Writes the series of ROW, in several lines if it is long. */
static void write_series(struct recording_writer *w, const struct rec_row *row)
{
	struct series_reader r = series_read(&w->rec->series, row->series);
	uint32_t before = 0;

	while (series_next(&r)) {
		if (w->line.len > SERIES_LINE)
			end_line(w);
		if (!w->line.len)
			begin(w, "series");
		add_item(w, &r.item, before);
		before = r.item.slice + r.item.more;
	}
	if (w->line.len)
		end_line(w);
}

static void write_rows(struct recording_writer *w)
{
	const struct recording *rec = w->rec;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *r = &rec->rows[i];

		begin(w, "row");
		add_number(w, r->event);
		add_number(w, r->task);
		add_stacks(w, r);
		add_labels(w, r->labels);
		add_number(w, r->count);
		add_number(w, r->sum);
		end_line(w);
		write_series(w, r);
	}
	for (int i = 0; i < LOST_REASONS; i++) {
		if (!rec->lost[i])
			continue;
		begin(w, "lost");
		strbuf_addf(&w->line, " %s", lost_reason_word((enum lost_reason)i));
		add_number(w, rec->lost[i]);
		end_line(w);
	}
}

int recording_write(const struct recording *rec, FILE *out, struct strbuf *err)
{
	struct recording_writer w = {.rec = rec, .out = out, .line = STRBUF_INIT};

	write_head(&w);
	write_events_and_tasks(&w);
	write_maps(&w);
	write_frames(&w);
	write_stacks(&w);
	write_labels(&w);
	write_rows(&w);
	begin(&w, "end");
	add_number(&w, w.lines);
	end_line(&w);
	strbuf_release(&w.line);
	if (fflush(out) || ferror(out))
		return fail(err, "cannot write the recording: %s", strerror(errno));
	return 0;
}
