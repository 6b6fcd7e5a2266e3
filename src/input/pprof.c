/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles in pprof's format (pprof.proto), as bt-export and many other programs write them. The
 * module of a frame is the file of its mapping; functions inlined into another one share its
 * location. If a sample has several values, one of them is used.
 */
#include "expansion.h"
#include "input/pprof.pb-c.h"
#include "lib/lines.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/labels.h"
#include "model/place.h"
#include "model/waits.h"
#include "module_frame.h"
#include "pprof.h"
#include "pprof_tables.h"
#include "stacks.h"
#include "text_format.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pprof_reader {
	struct text_input *in;
	struct profile *p;
	struct stacks stacks;
	struct pprof_tables t;
	uint32_t *entries; /* entries of the tables' lines, or 0 before the first use */
	uint32_t *unnamed; /* entries of the tables' locations, or 0 before the first use */
	size_t type;       /* index of the value that is used */
	uint64_t factor;   /* from the value's unit to the profile's unit */
	uint64_t wrong;    /* number of invalid samples */
	/* a location may stand for many inlined calls, and a few bytes for many locations */
	struct expansion expansion;
	bool tasks;
	struct strbuf text;
	struct strpool strings; /* of the labels */
	struct labels labels;
};

/* The labels of a sample, as numbers of their strings. Each key occurs once. */
struct pprof_labels {
	struct label list[LABEL_SET_MAX];
	size_t nr;
	int64_t task; /* number of a string of the file, or 0 if there is no task */
};

static uint32_t place_of(struct pprof_reader *r, const struct pprof_location *l)
{
	struct pprof_string build_id = pprof_get(&r->t, r->t.mappings[l->mapping].build_id);

	if (!r->in->options->places)
		return 0;
	return place_add(&r->p->names, l->address, build_id.s, build_id.len);
}

static uint32_t line_entry(struct pprof_reader *r, const struct pprof_location *l, uint32_t i)
{
	const struct pprof_line *line = &r->t.lines[l->first_line + i];
	const struct pprof_function *function = &r->t.functions[line->function];
	struct pprof_string name = pprof_get(&r->t, function->name);
	struct pprof_string file = pprof_get(&r->t, function->file);
	struct pprof_string module = pprof_get(&r->t, r->t.mappings[l->mapping].file);
	struct module_frame frame = {
		.module = module.s,
		.module_len = module.len,
		.inlined = i + 1 < l->nr_lines,
	};
	uint32_t *entry = &r->entries[l->first_line + i];

	if (*entry)
		return *entry;
	if (r->in->options->sources && line->line > 0)
		frame.source = module_frame_source(r->p, file.s, file.len, (uint64_t)line->line);
	strbuf_reset(&r->text);
	strbuf_add(&r->text, name.s, name.len);
	frame.name = r->text.buf;
	frame.name_len = word_decode(r->text.buf, name.len); /* bt-export escapes names */
	frame.place = place_of(r, l);
	*entry = module_frame_entry(&r->stacks, &frame);
	return *entry;
}

static uint32_t unnamed_entry(struct pprof_reader *r, uint32_t location)
{
	struct pprof_string module =
		pprof_get(&r->t, r->t.mappings[r->t.locations[location].mapping].file);

	if (!r->unnamed[location])
		r->unnamed[location] = module_frame_entry(
			&r->stacks, &(struct module_frame){
					    .name = "",
					    .module = module.s,
					    .module_len = module.len,
					    .place = place_of(r, &r->t.locations[location]),
				    });
	return r->unnamed[location];
}

/* Returns false if no more frames may follow. */
static bool push_entry(struct pprof_reader *r, uint32_t entry)
{
	const struct frame *frame = &r->p->frames[entry & ENTRY_FRAME];

	stacks_push(&r->stacks, entry);
	return expansion_take(&r->expansion, strpool_len(&r->p->names, frame->name)) &&
	       !r->stacks.deep;
}

static bool push_location(struct pprof_reader *r, uint32_t location)
{
	const struct pprof_location *l = &r->t.locations[location];

	if (!l->nr_lines)
		return push_entry(r, unnamed_entry(r, location));
	for (uint32_t i = 0; i < l->nr_lines; i++)
		if (!push_entry(r, line_entry(r, l, i)))
			return false;
	return true;
}

static void add_label(struct pprof_reader *r, struct pprof_labels *labels, const Pprof__Label *l)
{
	struct pprof_string key = pprof_get(&r->t, l->key), value = pprof_get(&r->t, l->str);
	char number[32];

	if (!value.len && l->num) {
		value.s = number;
		value.len = (size_t)snprintf(number, sizeof(number), "%" PRId64, l->num);
	}
	if (!key.len || !value.len || labels->nr == LABEL_SET_MAX)
		return;
	struct label label = {strpool_add(&r->strings, key.s, key.len),
		strpool_add(&r->strings, value.s, value.len)};

	for (size_t i = 0; i < labels->nr; i++)
		if (labels->list[i].key == label.key)
			return;
	labels->list[labels->nr++] = label;
}

static void find_labels(
	struct pprof_reader *r, const Pprof__Sample *sample, struct pprof_labels *labels)
{
	labels->nr = 0;
	labels->task = 0;
	for (size_t i = 0; i < sample->n_label; i++) {
		if (pprof_is(&r->t, sample->label[i]->key, "task"))
			labels->task = sample->label[i]->str;
		else
			add_label(r, labels, sample->label[i]);
	}
}

static uint32_t label_value(
	const struct pprof_reader *r, const struct pprof_labels *labels, const char *key)
{
	for (size_t i = 0; i < labels->nr; i++)
		if (!strcmp(strpool_get(&r->strings, labels->list[i].key), key))
			return labels->list[i].value;
	return 0;
}

/* Returns the number that is the value of KEY, or 0 if there is none. */
static uint64_t number_value(
	const struct pprof_reader *r, const struct pprof_labels *labels, const char *key)
{
	uint32_t value = label_value(r, labels, key);
	uint64_t number;

	return value && parse_u64(strpool_get(&r->strings, value), strpool_len(&r->strings, value),
				10, &number)
		       ? number
		       : 0;
}

/* Other profilers have labels of these names, and "thread_id". */
static bool is_selected_task(struct pprof_reader *r, const struct pprof_labels *labels)
{
	const struct label_filter *filter = r->in->options->tasks;
	struct pprof_string comm = pprof_get(&r->t, labels->task);
	struct task task = {
		number_value(r, labels, "pid"), number_value(r, labels, "tid"), comm.s, comm.len};

	if (!task.tid)
		task.tid = number_value(r, labels, "thread_id");
	if (!task.len) {
		uint32_t value = label_value(r, labels, "comm");

		task.comm = strpool_get(&r->strings, value);
		task.len = strpool_len(&r->strings, value);
	}
	return !filter || task_filter_matches(filter, &task);
}

static bool matches(struct pprof_reader *r, const struct pprof_labels *labels)
{
	const struct label_filter *filter = r->in->options->labels;
	uint32_t pairs[LABEL_SET_MAX];

	if (!filter)
		return true;
	for (size_t i = 0; i < labels->nr; i++)
		pairs[i] = labels_add_pair(&r->labels, labels->list[i]);
	uint32_t set = labels_add_set(&r->labels, &r->strings, pairs, labels->nr);

	return label_filter_matches(filter, &r->labels, &r->strings, set == UINT32_MAX ? 0 : set);
}

/* Pushes a frame with all labels, in the same form as recording_to_profile. */
static void push_label_set(struct pprof_reader *r, const struct pprof_labels *labels)
{
	struct strbuf words = STRBUF_INIT;
	struct frame frame = {.kind = FRAME_NOTE, .label = LABEL_SET};

	for (size_t i = 0; i < 2 * labels->nr; i++) {
		uint32_t string = i % 2 ? labels->list[i / 2].value : labels->list[i / 2].key;

		strbuf_adds(&words, i ? " " : "");
		word_add(
			&words, strpool_get(&r->strings, string), strpool_len(&r->strings, string));
	}
	frame.name = strpool_add(&r->p->names, words.buf, words.len);
	stacks_push(&r->stacks, profile_add_frame(r->p, &frame) | ENTRY_UNCOUNTED);
	strbuf_release(&words);
}

/* Pushes the note of the label "state", which is a letter, as in recordings, or the note itself. */
static void push_state(struct pprof_reader *r, const struct pprof_labels *labels)
{
	const char *state = strpool_get(&r->strings, label_value(r, labels, "state"));
	const char *note = wait_number(state, strlen(state)) >= 0 ? state : wait_note(state);
	char *tag = *state && !note ? xasprintf("[tag: %s]", state) : NULL;

	if (*state)
		stacks_push(&r->stacks, stacks_note(&r->stacks, tag ? tag : note));
	*(*state ? &r->p->states : &r->p->no_states) = true;
	free(tag);
}

/* Returns the root frame of --by, or 0 without --by. */
static uint32_t by_frame(struct pprof_reader *r, const struct pprof_labels *labels)
{
	const char *by = r->in->options->by;
	uint32_t value = by ? label_value(r, labels, by) : 0;
	struct frame frame = {.kind = FRAME_TASK, .label = LABEL_BY};

	if (!by)
		return 0;
	if (!value) {
		char *note = xasprintf("[no %s]", by);

		frame.name = strpool_adds(&r->p->names, note);
		frame.kind = FRAME_NOTE;
		frame.label = LABEL_NONE;
		free(note);
	} else {
		frame.name = strpool_import(&r->p->names, &r->strings, value);
	}
	return profile_add_frame(r->p, &frame);
}

/* Whether the root of the sample's stack is its label "task", as bt-export --comm writes it. */
static bool root_is_task(
	const struct pprof_reader *r, const struct pprof_labels *labels, uint32_t location)
{
	const struct pprof_location *l = &r->t.locations[location];

	return labels->task && l->nr_lines == 1 &&
	       r->t.functions[r->t.lines[l->first_line].function].name == labels->task;
}

static void push_task(struct pprof_reader *r, const struct pprof_labels *labels)
{
	struct pprof_string task = pprof_get(&r->t, labels->task);

	stacks_push(&r->stacks, stacks_task(&r->stacks, &(struct task){0, 0, task.s, task.len}, 0) |
					ENTRY_UNCOUNTED);
	r->tasks = true;
}

static void push_stack(
	struct pprof_reader *r, const Pprof__Sample *sample, const struct pprof_labels *labels)
{
	size_t nr = sample->n_location_id;
	bool task = false;

	if (nr) {
		uint32_t root = pprof_location_of(&r->t, sample->location_id[nr - 1]);

		task = root_is_task(r, labels, root);
	}
	for (size_t i = 0; i + task < nr && r->expansion.left; i++)
		if (!push_location(r, pprof_location_of(&r->t, sample->location_id[i])))
			break;
	if (!r->expansion.left)
		stacks_push(&r->stacks, stacks_note(&r->stacks, "[truncated: too many frames]"));
	else if (nr == task)
		stacks_push(&r->stacks, stacks_note(&r->stacks, "[no stack]"));
	if (task)
		push_task(r, labels);
}

static bool add_sample(struct pprof_reader *r, const Pprof__Sample *sample)
{
	struct pprof_labels labels;
	uint64_t weight = 0;

	if (sample->n_value <= r->type || sample->value[r->type] < 0)
		return false;
	add_product_capped(&weight, (uint64_t)sample->value[r->type], r->factor);
	find_labels(r, sample, &labels);
	if (!weight)
		return true;
	if (!is_selected_task(r, &labels) || !matches(r, &labels)) {
		add_capped(&r->p->account.left_out, weight);
		return true;
	}
	if (r->in->options->label_sets && labels.nr)
		push_label_set(r, &labels);
	push_state(r, &labels);
	push_stack(r, sample, &labels);
	stacks_add(&r->stacks, by_frame(r, &labels), weight);
	return true;
}

static bool read_samples(struct pprof_reader *r, const uint8_t *data, size_t len)
{
	const uint8_t *at = data;
	struct pprof_field f;

	while (pprof_next(&at, data + len, &f) > 0) {
		if (f.number != PPROF_SAMPLE || !f.data)
			continue;
		Pprof__Sample *sample = pprof__sample__unpack(NULL, f.len, f.data);

		if (!sample)
			return false;
		r->wrong += !add_sample(r, sample);
		pprof__sample__free_unpacked(sample, NULL);
	}
	return true;
}

/* Appends the names of the values of a sample. */
static void add_types(const struct pprof_reader *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->t.nr_types; i++) {
		struct pprof_string type = pprof_get(&r->t, r->t.types[i].type);

		strbuf_adds(out, i ? ", " : "");
		message_add(out, type.s, type.len);
	}
}

static bool is_type(const struct pprof_reader *r, size_t type, const char *event)
{
	struct pprof_string name = pprof_get(&r->t, r->t.types[type].type);

	return pattern_or_name_matches(event, name.s, name.len);
}

/*
 * Chooses the value of a sample that --event names. Without --event, chooses the profile's default
 * or else the last value.
 */
static int choose_type(struct pprof_reader *r)
{
	const char *event = r->in->options->event;
	struct strbuf *notes = r->in->notes;
	size_t nr = r->t.nr_types, i = nr;

	if (!nr)
		return fail(notes, "it is a profile of pprof that does not say what it counts\n");
	if (event)
		for (i = 0; i < nr && !is_type(r, i, event);)
			i++;
	else if (r->t.default_type)
		for (i = 0; i < nr && r->t.types[i].type != (int64_t)r->t.default_type;)
			i++;
	if (i == nr && event) {
		strbuf_adds(notes, "it has no sample type '");
		message_add(notes, event, strlen(event));
		strbuf_adds(notes, "', only ");
		add_types(r, notes);
		return fail(notes, "\n");
	}
	r->type = i < nr ? i : nr - 1;
	if (nr > 1 && !event) {
		struct pprof_string type = pprof_get(&r->t, r->t.types[r->type].type);

		strbuf_adds(notes, "it has the sample types ");
		add_types(r, notes);
		strbuf_adds(notes, ": ");
		message_add(notes, type.s, type.len);
		strbuf_adds(notes, " is used (select one with --event)\n");
	}
	return 0;
}

static void set_unit(struct pprof_reader *r)
{
	static const struct {
		const char *theirs, *ours;
		unsigned factor;
	} units[] = {{"nanoseconds", "ns", 1}, {"microseconds", "us", 1},
		{"milliseconds", "us", 1000}, {"seconds", "us", 1000000}, {"bytes", "bytes", 1}};
	const struct pprof_type *t = &r->t.types[r->type];
	bool count = pprof_is(&r->t, t->unit, "count") || !pprof_get(&r->t, t->unit).len;
	struct pprof_string word = pprof_get(&r->t, count ? t->type : t->unit);
	struct pprof_string type = pprof_get(&r->t, t->type);
	char *text = xstrndup(word.s, word.len), *event = xstrndup(type.s, type.len);
	const char *unit = text;

	r->factor = 1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(text, units[i].theirs)) {
			unit = units[i].ours;
			r->factor = units[i].factor;
		}
	profile_set(&r->p->unit, *unit ? unit : "samples");
	profile_set(&r->p->event, event);
	free(text);
	free(event);
}

static void set_timing(struct pprof_reader *r)
{
	const struct pprof_tables *t = &r->t;
	bool cpu = pprof_is(t, t->period_type.type, "cpu") &&
		   pprof_is(t, t->period_type.unit, "nanoseconds");

	r->p->timing.started = t->time <= INT64_MAX ? t->time : 0;
	r->p->timing.duration = t->duration <= INT64_MAX ? t->duration : 0;
	r->p->timing.period =
		cpu && !strcmp(r->p->unit, "samples") && t->period <= INT64_MAX ? t->period : 0;
}

static int read_profile(struct pprof_reader *r, const uint8_t *data, size_t len)
{
	if (!pprof_tables_read(&r->t, data, len))
		return fail(r->in->notes, "it is a profile of pprof, but damaged or not whole\n");
	if (choose_type(r) < 0)
		return -1;
	set_unit(r);
	set_timing(r);
	r->entries = xcalloc(r->t.nr_lines, sizeof(*r->entries));
	r->unnamed = xcalloc(r->t.nr_locations, sizeof(*r->unnamed));
	r->expansion = expansion_of(len, lines_packed(r->in->lines));
	if (!read_samples(r, data, len))
		return fail(r->in->notes, "it is a profile of pprof, but a sample is damaged\n");
	r->in->several = r->tasks;
	if (r->wrong)
		strbuf_addf(r->in->notes,
			"samples left out: %" PRIu64 ", without a weight, or with one below 0\n",
			r->wrong);
	add_capped(&r->p->account.lost[LOST_UNREADABLE], r->wrong);
	return r->wrong > 0;
}

int pprof_read_bytes(struct text_input *in, const uint8_t *data, size_t len)
{
	struct pprof_reader r = {.in = in, .p = in->p, .text = STRBUF_INIT};

	stacks_init(&r.stacks, in->p, NULL);
	strpool_init(&r.strings);
	labels_init(&r.labels);
	int ret = read_profile(&r, data, len);

	pprof_tables_release(&r.t);
	stacks_release(&r.stacks);
	strpool_release(&r.strings);
	labels_release(&r.labels);
	free(r.entries);
	free(r.unnamed);
	strbuf_release(&r.text);
	return ret;
}

static int pprof_read(struct text_input *in)
{
	struct strbuf bytes = STRBUF_INIT;
	int ret = whole_file_read(in->lines, &bytes, in->notes);

	if (!ret)
		ret = pprof_read_bytes(in, (const uint8_t *)bytes.buf, bytes.len);
	strbuf_release(&bytes);
	return ret;
}

/* Whether a message or string begins as in a profile. No text begins in this way. */
static bool begins_message(const struct pprof_field *f)
{
	static const char *const begin[] = {
		[PPROF_SAMPLE_TYPE] = "\x08\x10",
		[PPROF_SAMPLE] = "\x08\x0a\x10\x12\x1a",
		[PPROF_MAPPING] = "\x08\x10\x18",
		[PPROF_LOCATION] = "\x08\x10\x18",
		[PPROF_FUNCTION] = "\x08\x10\x18",
		[PPROF_PERIOD_TYPE] = "\x08\x10",
	};

	if (f->number == PPROF_STRING) /* the first string is empty */
		return !f->len;
	if (f->number >= ARRAY_LEN(begin) || !begin[f->number])
		return false;
	return !f->len || (*f->data && strchr(begin[f->number], *f->data));
}

static bool is_pprof(const char *bytes, size_t n)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + n;
	bool sure = false;
	struct pprof_field f;

	while (pprof_next(&at, end, &f) > 0) {
		if (f.number > PPROF_DEFAULT_TYPE + 2)
			return false;
		if (f.data && !sure && !begins_message(&f))
			return false;
		sure |= f.data && (f.len || f.number == PPROF_STRING);
	}
	return sure;
}

const struct text_format pprof_format = {
	.name = "pprof",
	.is_head = is_pprof,
	.has_meta = true,
	.has_tasks = true,
	.read = pprof_read,
};
