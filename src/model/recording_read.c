/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording. The reader is strict, because an unnoticed error would become a wrong profile.
 */
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "recording.h"
#include "recording_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 12 };

struct recording_reader {
	struct recording *rec;
	struct strbuf *err;
	uint64_t version;
	uint64_t line_nr;                 /* lines read so far */
	struct word words[MAX_WORDS + 1]; /* words[0] is the kind of record */
	size_t nr;
	uint32_t *refs; /* frames of the current stack */
	size_t refs_alloc;
	uint32_t last_slice; /* of the series of the last row, or 0 */
};

static int bad(struct recording_reader *r, const char *what)
{
	return fail(r->err, "line %" PRIu64 ": %s; the recording is damaged", r->line_nr, what);
}

static int number(struct recording_reader *r, size_t i, int base, uint64_t max, uint64_t *value)
{
	if (i >= r->nr || !parse_u64(r->words[i].s, r->words[i].len, base, value) || *value > max)
		return bad(r, i >= r->nr ? "too few fields" : "a number is wrong or out of range");
	return 0;
}

static int number32(struct recording_reader *r, size_t i, uint64_t limit, uint32_t *value)
{
	uint64_t v;

	if (!limit)
		return bad(r, "a number names a record that is not there");
	if (number(r, i, 10, limit - 1, &v))
		return -1;
	*value = (uint32_t)v;
	return 0;
}

/* Returns true if an optional field, which was added to the format later, exists and is not "-". */
static bool has_field(const struct recording_reader *r, size_t i)
{
	return i < r->nr && r->words[i].len;
}

static int string(struct recording_reader *r, size_t i, uint32_t *value)
{
	if (i >= r->nr)
		return bad(r, "too few fields");
	*value = strpool_add(&r->rec->strings, r->words[i].s, r->words[i].len);
	return 0;
}

static int one_of(
	struct recording_reader *r, size_t i, const char *const *list, size_t nr, unsigned *value)
{
	for (size_t k = 0; i < r->nr && k < nr; k++)
		if (strlen(list[k]) == r->words[i].len &&
			!memcmp(list[k], r->words[i].s, r->words[i].len)) {
			*value = (unsigned)k;
			return 0;
		}
	return bad(r, "a word is none of those that may stand there");
}

/* IDs are consecutive from 0, so that a lost line is detected. */
static int expect_id(struct recording_reader *r, size_t id)
{
	uint64_t v;

	if (number(r, 1, 10, UINT32_MAX - 1, &v))
		return -1;
	return v == id ? 0 : bad(r, "a record's number is not the next one");
}

static int read_meta(struct recording_reader *r)
{
	struct rec_meta m;

	if (string(r, 1, &m.key) || string(r, 2, &m.value))
		return -1;
	ALLOC_GROW(r->rec->meta, r->rec->nr_meta, r->rec->meta_alloc);
	r->rec->meta[r->rec->nr_meta++] = m;
	return 0;
}

static int read_kernel(struct recording_reader *r)
{
	if (string(r, 1, &r->rec->kernel_release) || string(r, 2, &r->rec->kernel_build_id))
		return -1;
	return has_field(r, 3) ? number(r, 3, 16, UINT64_MAX, &r->rec->kernel_text) : 0;
}

static int read_module(struct recording_reader *r)
{
	struct rec_module m = {0};

	if (string(r, 1, &m.name) || string(r, 2, &m.build_id) ||
		number(r, 3, 16, UINT64_MAX, &m.text))
		return -1;
	recording_add_module(r->rec, &m);
	return 0;
}

static int read_source(struct recording_reader *r)
{
	static const char *const times[] = {"", "late"};
	uint32_t path = 0, blob = 0;
	unsigned late = 0;

	if (string(r, 1, &path) || string(r, 2, &blob) ||
		one_of(r, 3, times, ARRAY_LEN(times), &late))
		return -1;
	uint32_t number = recording_add_source(r->rec, path, blob);

	r->rec->sources[number].late = late;
	return 0;
}

static int read_event(struct recording_reader *r)
{
	struct recording *rec = r->rec;
	struct rec_event e = {0};

	if (expect_id(r, rec->nr_events) || string(r, 2, &e.name) || string(r, 3, &e.unit) ||
		number(r, 4, 10, UINT64_MAX, &e.period) || string(r, 5, &e.clock))
		return -1;
	ALLOC_GROW(rec->events, rec->nr_events, rec->events_alloc);
	rec->events[rec->nr_events++] = e;
	return 0;
}

static int read_task(struct recording_reader *r)
{
	struct rec_task t = {0};

	if (expect_id(r, r->rec->nr_tasks) || number32(r, 2, UINT32_MAX, &t.pid) ||
		number32(r, 3, UINT32_MAX, &t.tid) || number(r, 4, 10, UINT64_MAX, &t.start) ||
		string(r, 5, &t.comm))
		return -1;
	recording_add_task(r->rec, &t);
	return 0;
}

static int read_map(struct recording_reader *r)
{
	struct rec_map m = {0};

	if (expect_id(r, r->rec->nr_maps) || number32(r, 2, UINT32_MAX, &m.pid) ||
		number32(r, 3, UINT32_MAX, &m.generation) ||
		number(r, 4, 16, UINT64_MAX, &m.start) || number(r, 5, 16, UINT64_MAX, &m.end) ||
		number(r, 6, 16, UINT64_MAX, &m.offset) || string(r, 7, &m.build_id) ||
		string(r, 8, &m.path))
		return -1;
	m.has_link = has_field(r, 9);
	if (m.has_link && number(r, 9, 16, UINT64_MAX, &m.link))
		return -1;
	if (m.end <= m.start || m.offset > UINT64_MAX - (m.end - m.start) ||
		m.link > UINT64_MAX - (m.end - m.start))
		return bad(r, "a mapping ends before it starts");
	recording_add_map(r->rec, &m);
	return 0;
}

static int read_place(struct recording_reader *r, struct rec_frame *f)
{
	static const char *const address_kinds[] = {"name", "pc", "call"};
	unsigned place = 0;

	if (one_of(r, 3, address_kinds, ARRAY_LEN(address_kinds), &place))
		return -1;
	if (place == 0) {
		f->place = AT_NAME;
		return 0;
	}
	f->call = place == 2;
	if (number(r, 5, 16, UINT64_MAX, &f->addr))
		return -1;
	if (!r->words[4].len) {
		f->place = AT_ADDRESS;
		return 0;
	}
	f->place = AT_MAP;
	if (number32(r, 4, r->rec->nr_maps, &f->map))
		return -1;
	const struct rec_map *m = &r->rec->maps[f->map];

	return f->addr <= m->end - m->start ? 0 : bad(r, "a frame lies outside its mapping");
}

static int read_frame(struct recording_reader *r)
{
	const char *kinds[FRAME_KINDS];
	struct rec_frame f = {0};
	unsigned kind = 0;

	for (int i = 0; i < FRAME_KINDS; i++)
		kinds[i] = frame_kind_word((enum frame_kind)i);
	if (expect_id(r, r->rec->nr_frames) || one_of(r, 2, kinds, FRAME_KINDS, &kind) ||
		read_place(r, &f))
		return -1;
	f.kind = (enum frame_kind)kind;
	recording_add_frame(r->rec, &f);
	return 0;
}

static int read_start(struct recording_reader *r)
{
	static const char *const parts[] = {"", "cold"};
	unsigned part = 0;
	uint32_t id;

	if (number32(r, 1, r->rec->nr_frames, &id) ||
		number(r, 2, 16, UINT64_MAX, &r->rec->frames[id].start) ||
		one_of(r, 3, parts, ARRAY_LEN(parts), &part))
		return -1;
	r->rec->frames[id].cold = part;
	return 0;
}

static int read_name(struct recording_reader *r)
{
	struct recording *rec = r->rec;
	struct rec_name n = {0};
	uint32_t id;

	if (number32(r, 1, rec->nr_frames, &id) || string(r, 2, &n.function) ||
		number(r, 3, 16, UINT64_MAX, &n.offset) || string(r, 4, &n.module) ||
		string(r, 5, &n.file) || number32(r, 6, UINT32_MAX, &n.line))
		return -1;
	struct rec_frame *f = &rec->frames[id];

	if (f->nr_names && f->names + f->nr_names != rec->nr_names)
		return bad(r, "the names of a frame do not stand together");
	if (!f->nr_names)
		f->names = (uint32_t)rec->nr_names;
	ALLOC_GROW(rec->names, rec->nr_names, rec->names_alloc);
	rec->names[rec->nr_names++] = n;
	f->nr_names++;
	return 0;
}

/*
 * Parses numbers below LIMIT, separated by SEPARATOR, into refs. Returns how many there are, or -1
 * if one is not valid.
 */
static ssize_t read_refs(
	struct recording_reader *r, const struct word *w, char separator, size_t limit)
{
	const char *s = w->s, *end = w->s + w->len;
	size_t nr = 0;

	while (s < end) {
		const char *stop = memchr(s, separator, (size_t)(end - s));
		uint64_t v;

		if (!stop)
			stop = end;
		if (!parse_u64(s, (size_t)(stop - s), 10, &v) || v >= limit)
			return bad(r, "a number names a record that is not there");
		ALLOC_GROW(r->refs, nr, r->refs_alloc);
		r->refs[nr++] = (uint32_t)v;
		s = stop + 1;
	}
	return (ssize_t)nr;
}

static int read_stack(struct recording_reader *r)
{
	unsigned kind = 0, end = 0;
	uint32_t cut_by = 0;

	if (expect_id(r, r->rec->nr_stacks) || one_of(r, 2, stack_kind_words, STACK_KINDS, &kind) ||
		one_of(r, 3, stack_end_words, END_KINDS, &end) || string(r, 4, &cut_by))
		return -1;
	ssize_t nr = r->nr > 5 ? read_refs(r, &r->words[5], ' ', r->rec->nr_frames) : 0;

	if (nr < 0)
		return -1;
	recording_add_stack(
		r->rec, (enum stack_kind)kind, (enum stack_end)end, cut_by, r->refs, (size_t)nr);
	return 0;
}

static int read_label(struct recording_reader *r)
{
	struct recording *rec = r->rec;
	struct label label;

	if (expect_id(r, rec->labels.nr_pairs) || string(r, 2, &label.key) ||
		string(r, 3, &label.value))
		return -1;
	if (!label.key || !label.value)
		return bad(r, "a label has no key or no value");
	size_t id = rec->labels.nr_pairs;

	return labels_add_pair(&rec->labels, label) == id ? 0 : bad(r, "a label is there twice");
}

/* In version 1, the field is the value of the label "state". */
static int read_state(struct recording_reader *r, uint32_t *set)
{
	struct label state;

	if (string(r, 4, &state.value))
		return -1;
	state.key = recording_string(r->rec, RECORDING_STATE);
	*set = recording_labels(r->rec, &state, 1);
	return 0;
}

static int read_labels(struct recording_reader *r, uint32_t *set)
{
	struct labels *labels = &r->rec->labels;

	if (r->version == 1)
		return read_state(r, set);
	if (r->nr < 5)
		return bad(r, "too few fields");
	ssize_t nr = read_refs(r, &r->words[4], ',', labels->nr_pairs);

	if (nr < 0)
		return -1;
	*set = labels_add_set(labels, &r->rec->strings, r->refs, (size_t)nr);
	return *set == UINT32_MAX ? bad(r, "a row has too many labels, or two with one key") : 0;
}

static int read_row(struct recording_reader *r)
{
	struct recording *rec = r->rec;
	struct rec_row row = {0};

	if (number32(r, 1, rec->nr_events, &row.event) ||
		number32(r, 2, rec->nr_tasks, &row.task) || read_labels(r, &row.labels) ||
		number(r, 5, 10, UINT64_MAX, &row.count) || number(r, 6, 10, UINT64_MAX, &row.sum))
		return -1;
	ssize_t nr = read_refs(r, &r->words[3], ',', rec->nr_stacks);

	if (nr < 0)
		return -1;
	if (nr > ROW_STACKS)
		return bad(r, "a row has too many stacks");
	for (ssize_t i = 0; i < ROW_STACKS; i++)
		row.stacks[i] = i < nr ? r->refs[i] : NO_STACK;
	recording_add_row(rec, &row);
	r->last_slice = 0;
	return 0;
}

static int read_slices(struct recording_reader *r)
{
	struct rec_slices *slices = &r->rec->slices;

	if (slices->ns)
		return bad(r, "the length of slices is given twice");
	if (number(r, 1, 10, INT64_MAX / RECORDING_SLICES_MAX, &slices->ns) ||
		number32(r, 2, RECORDING_SLICES_MAX + 1, &slices->nr) ||
		(has_field(r, 3) && number(r, 3, 10, INT64_MAX / 2, &slices->begin)))
		return -1;
	return slices->ns ? 0 : bad(r, "slices have no length");
}

/* Reads the number at TEXT. Returns the text behind it, or NULL if there is no number. */
static const char *read_digits(const char *text, const char *end, uint64_t *value)
{
	size_t len = 0;

	while (text + len < end && text[len] >= '0' && text[len] <= '9')
		len++;
	return parse_u64(text, len, 10, value) ? text + len : NULL;
}

/* Reads the number behind MARK in the same way, or leaves *VALUE if TEXT does not begin with it. */
static const char *read_part(const char *text, const char *end, char mark, uint64_t *value)
{
	if (!text || text == end || *text != mark)
		return text;
	return read_digits(text + 1, end, value);
}

/* Reads an item of a series, GAP[*COUNT][/SUM][+MORE]. Returns the text behind it, or NULL. */
static const char *read_item(const struct recording_reader *r, const char *text, const char *end,
	struct series_item *item)
{
	uint64_t gap, more = 0, slices = r->rec->slices.nr;

	text = read_digits(text, end, &gap);
	item->count = 1;
	text = read_part(text, end, '*', &item->count);
	item->sum = item->count;
	text = read_part(text, end, '/', &item->sum);
	text = read_part(text, end, '+', &more);
	if (!text || !gap || gap > slices || more >= slices || r->last_slice + gap + more > slices)
		return NULL;
	item->slice = r->last_slice + (uint32_t)gap;
	item->more = (uint32_t)more;
	return text == end ? text : *text == ' ' ? text + 1 : NULL;
}

/* Reads items of the last row's series. */
static int read_series(struct recording_reader *r)
{
	struct recording *rec = r->rec;
	struct rec_row *row = rec->nr_rows ? &rec->rows[rec->nr_rows - 1] : NULL;
	struct series_item item;

	if (!row || !rec->slices.ns || r->nr < 2)
		return bad(r, "a series without row, slices or items");
	const char *text = r->words[1].s, *end = text + r->words[1].len;

	while (text < end) {
		text = read_item(r, text, end, &item);
		if (!text)
			return bad(r, "an item of a series is wrong");
		row->series = series_add(&rec->series, row->series, &item);
		r->last_slice = item.slice + item.more;
	}
	return 0;
}

/* Returns whether the parts of ROW are together the row, if it has a series. */
static bool series_is_whole(const struct recording *rec, const struct rec_row *row)
{
	struct series_reader r = series_read(&rec->series, row->series);
	uint64_t count = 0, sum = 0;

	while (series_next(&r)) {
		add_product_capped(&count, r.item.count, (uint64_t)r.item.more + 1);
		add_product_capped(&sum, r.item.sum, (uint64_t)r.item.more + 1);
	}
	return !row->series || (count == row->count && sum == row->sum);
}

static int read_lost(struct recording_reader *r)
{
	uint64_t n;

	if (number(r, 2, 10, UINT64_MAX, &n))
		return -1;
	int reason = lost_reason_parse(r->words[1].s);

	if (reason < 0)
		reason = LOST_UNREADABLE; /* unknown reason of a later version */
	if (__builtin_add_overflow(r->rec->lost[reason], n, &r->rec->lost[reason]))
		r->rec->lost[reason] = UINT64_MAX;
	return 0;
}

static int read_end(struct recording_reader *r)
{
	uint64_t n;

	if (number(r, 1, 10, UINT64_MAX, &n))
		return -1;
	if (n != r->line_nr - 1)
		return bad(r, "lines are missing before the end record");
	for (size_t i = 0; i < r->rec->nr_rows; i++)
		if (!series_is_whole(r->rec, &r->rec->rows[i]))
			return bad(r, "a series does not add up to its row");
	r->rec->complete = true;
	return 0;
}

static const struct {
	const char *word;
	size_t words; /* maximum to split into; the last one is the rest of the line */
	int (*read)(struct recording_reader *r);
} kinds_of_records[] = {
	{"meta", 4, read_meta},
	{"kernel", 5, read_kernel},
	{"module", 5, read_module},
	{"source", 5, read_source},
	{"event", 7, read_event},
	{"task", 7, read_task},
	{"map", 11, read_map},
	{"frame", 7, read_frame},
	{"start", 5, read_start},
	{"name", 8, read_name},
	{"stack", 6, read_stack},
	{"label", 5, read_label},
	{"row", 9, read_row},
	{"slices", 5, read_slices},
	{"series", 2, read_series},
	{"lost", 4, read_lost},
	{"end", 3, read_end},
};

static int read_record(struct recording_reader *r, char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);
	size_t kind_len = blank ? (size_t)(blank - line) : len;

	if (r->rec->complete)
		return bad(r, "something stands behind the end record");
	for (size_t i = 0; i < ARRAY_LEN(kinds_of_records); i++) {
		if (strlen(kinds_of_records[i].word) != kind_len ||
			memcmp(kinds_of_records[i].word, line, kind_len))
			continue;
		r->nr = words_split(line, len, r->words, kinds_of_records[i].words);
		return kinds_of_records[i].read(r);
	}
	r->rec->unknown++;
	return 0;
}

static int read_magic(struct recording_reader *r, struct lines *lines)
{
	char *line;
	size_t len;

	if (!lines_next(lines, &line, &len))
		return lines->error ? 0 : fail(r->err, "it is empty, no recording");
	r->line_nr = 1;
	r->nr = words_split(line, len, r->words, 3);
	if (r->words[0].len != strlen(RECORDING_MAGIC) ||
		memcmp(r->words[0].s, RECORDING_MAGIC, r->words[0].len))
		return fail(r->err, "it is no recording, as sample-bt -o FILE.rec writes them");
	if (number(r, 1, 10, UINT64_MAX, &r->version))
		return -1;
	if (r->version > RECORDING_VERSION)
		return fail(r->err,
			"it is of format version %" PRIu64
			", this flametap reads up to %d; install a newer flametap",
			r->version, RECORDING_VERSION);
	return r->version ? 0 : bad(r, "there is no version 0");
}

int recording_read(struct recording *rec, struct lines *lines, struct strbuf *err)
{
	struct recording_reader r = {.rec = rec, .err = err};
	char *line;
	size_t len;
	int ret = read_magic(&r, lines);

	while (!ret && lines_next(lines, &line, &len)) {
		r.line_nr++;
		if (lines->too_long)
			ret = bad(&r, "the line is too long");
		else if (!lines->unended)
			ret = read_record(&r, line, len);
	}
	if (!ret && lines->error)
		ret = fail(err, "cannot read: %s", strerror(lines->error));
	free(r.refs);
	return ret;
}

bool recording_is_part(const struct recording *rec, struct strbuf *notes)
{
	bool cut = !rec->complete || recording_meta(rec, "incomplete");

	if (cut)
		strbuf_adds(notes, "the recording is not complete, its end is missing: what is "
				   "there is used\n");
	if (rec->unknown)
		strbuf_addf(notes,
			"records of a later version left out: %" PRIu64
			"; a newer flametap reads them\n",
			rec->unknown);
	return cut || rec->unknown;
}
