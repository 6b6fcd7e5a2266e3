/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof's format, written during a traversal of the tree. Every sample, and before it every new
 * location and function, is a Profile of its own. Concatenated, they are one Profile (pprof.proto).
 */
#include "export.h"
#include "input/notes.h"
#include "lib/compress/gzip.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/utf8.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/labels.h"
#include "model/place.h"
#include "input/pprof.pb-c.h"
#include "view/preorder.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The limit is needed because a location repeats all functions that it is inlined into. */
enum { LINES_IN_LOCATION = 64 };

struct location {
	uint32_t function, line;
	uint32_t outer; /* location of the function that it is inlined into, or 0 */
	uint32_t nr;    /* number of lines, including the lines of outer */
};

struct pprof_level {
	uint32_t location; /* 0 if the frame is not shown */
	uint32_t task;     /* number of a string, or 0 */
	uint32_t labels;   /* frame of a set of labels, or 0 */
	uint32_t state;    /* frame of the state of a wait, or 0 */
	bool inlined;      /* into the location of the level above, which its location includes */
};

struct pprof_writer {
	ProtobufCBuffer buffer; /* writes packed messages to the gzip; must be the first member */
	struct strbuf *plain;   /* gets them instead, unless it is NULL */
	struct gzip gzip;
	const struct profile *p;
	struct strpool strings;     /* the string table, with the same numbers */
	struct strpool modules;     /* strings of the mappings: modules and build-ids */
	struct table by_module;     /* maps module and build-id to mapping */
	uint32_t nr_mappings;       /* including number 0, which is no mapping */
	uint32_t *mapping_of;       /* for each frame, its mapping */
	uint64_t period;            /* ns of CPU time of a sample, for its second value, or 0 */
	struct table functions;     /* maps name and file to function */
	struct table by_frame;      /* maps frame and outer location to location */
	struct location *locations; /* location 0 is empty */
	uint32_t nr_locations, locations_alloc;
	struct pprof_level *path; /* from the root, level 0, to the current node */
	size_t path_alloc;
	uint64_t *ids; /* location IDs of a sample */
	size_t ids_alloc;
	struct strbuf text;
};

static void append(ProtobufCBuffer *buffer, size_t len, const uint8_t *data)
{
	struct pprof_writer *w = (struct pprof_writer *)buffer;

	if (w->plain)
		strbuf_add(w->plain, data, len);
	else
		gzip_add(&w->gzip, data, len);
}

static void put(struct pprof_writer *w, const Pprof__Profile *part)
{
	pprof__profile__pack_to_buffer(part, &w->buffer);
}

/* Strings must be UTF-8, and pprof writes them to the terminal unchanged. */
static uint32_t add_string(struct pprof_writer *w, const char *s, size_t len)
{
	strbuf_reset(&w->text);
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_decode(s + i, len - i, &c);
		bool shown = n && utf8_is_visible(c);

		for (size_t k = i; !shown && k < i + (n ? n : 1); k++)
			strbuf_addf(&w->text, "\\x%02x", (unsigned char)s[k]);
		if (shown)
			strbuf_add(&w->text, s + i, n);
		i += n ? n : 1;
	}
	return strpool_add(&w->strings, w->text.buf, w->text.len);
}

static uint32_t add_text(struct pprof_writer *w, const char *s)
{
	return add_string(w, s, strlen(s));
}

static Pprof__ValueType value_type(struct pprof_writer *w, const char *type, const char *unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;

	value.type = add_text(w, type);
	value.unit = add_text(w, unit);
	return value;
}

static void write_sample_type(struct pprof_writer *w)
{
	static const struct {
		const char *ours, *type, *unit;
	} units[] = {
		{"samples", "samples", "count"},
		{"us", "time", "microseconds"},
		{"ns", "time", "nanoseconds"},
		{"bytes", "space", "bytes"},
	};
	const char *type = w->p->unit, *unit = "count";
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(w->p->unit, units[i].ours)) {
			type = units[i].type;
			unit = units[i].unit;
		}

	Pprof__ValueType value = value_type(w, type, unit), time = PPROF__VALUE_TYPE__INIT;

	part.n_sample_type = 1;
	if (w->period) {
		time = value_type(w, "cpu", "nanoseconds");
		part.n_sample_type = 2;
		part.default_sample_type = value.type; /* by default, pprof shows the last one */
	}
	part.sample_type = (Pprof__ValueType *[]){&value, &time};
	put(w, &part);
}

static void write_timing(struct pprof_writer *w)
{
	const struct timing *timing = &w->p->timing;
	Pprof__ValueType period = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	part.time_nanos = (int64_t)timing->started;
	part.duration_nanos =
		(int64_t)(timing->duration < INT64_MAX ? timing->duration : INT64_MAX);
	part.period = (int64_t)timing->period;
	if (timing->period) {
		period = value_type(w, "cpu", "nanoseconds");
		part.period_type = &period;
	}
	put(w, &part);
}

static void write_comments(struct pprof_writer *w, uint64_t scale)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	struct strbuf line = STRBUF_INIT;
	int64_t comments[3];

	export_title(w->p, scale, &line);
	if (line.len)
		comments[part.n_comment++] = add_string(w, line.buf, line.len);
	strbuf_reset(&line);
	if (w->p->account.known) {
		account_line(&w->p->account, &w->p->timing, w->p->unit, &line);
		comments[part.n_comment++] = add_string(w, line.buf, line.len);
	}
	strbuf_reset(&line);
	if (w->p->unlabelled) {
		strbuf_addf(&line, "too many labels: %" PRIu64 " %s have none", w->p->unlabelled,
			w->p->unit);
		comments[part.n_comment++] = add_string(w, line.buf, line.len);
	}
	part.comment = comments;
	put(w, &part);
	strbuf_release(&line);
}

static bool is_program(const struct profile *p, uint32_t frame)
{
	const char *module = profile_module(p, frame);

	return p->frames[frame].kind == FRAME_USER && *module && *module != '[' &&
	       !strstr(file_name(module), ".so");
}

/*
 * Writes a mapping without start, limit and offset. pprof then takes addresses as addresses at
 * which the file was linked.
 */
static void write_mapping(struct pprof_writer *w, uint32_t id, Pprof__Mapping *mapping)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;

	mapping->id = id;
	part.n_mapping = 1;
	part.mapping = &mapping;
	put(w, &part);
}

/* Returns the number of the mapping for a frame's module and build-id, or 0 if there is none. */
static uint32_t mapping_of(struct pprof_writer *w, Pprof__Mapping *mappings, uint32_t frame)
{
	struct place place = place_get(&w->p->names, w->p->frames[frame].place);
	uint32_t module = strpool_adds(&w->modules, export_module(w->p, frame));
	uint32_t build_id = strpool_add(&w->modules, place.build_id, place.len);
	bool is_new;

	if (!module)
		return 0;
	uint32_t *id = table_put(&w->by_module, module, build_id, &is_new);

	if (!is_new)
		return *id;
	*id = w->nr_mappings++;

	Pprof__Mapping *m = &mappings[*id];

	pprof__mapping__init(m);
	m->filename = add_text(w, strpool_get(&w->modules, module));
	m->build_id = add_text(w, strpool_get(&w->modules, build_id));
	return *id;
}

/*
 * Sets the flags of a frame's mapping. *UNNAMED is set if a frame with an address has no name. Then
 * the mapping is marked as without functions, so that other programs look for them.
 */
static void set_flags(struct pprof_writer *w, Pprof__Mapping *m, bool *unnamed, uint32_t frame)
{
	struct export_source source = export_source(w->p, frame);
	bool is_unnamed = frame_is_unnamed(w->p, frame);

	*unnamed |= is_unnamed && place_get(&w->p->names, w->p->frames[frame].place).address;
	m->has_functions = (m->has_functions || !is_unnamed) && !*unnamed;
	m->has_filenames |= source.len > 0;
	m->has_line_numbers |= source.line > 0;
	m->has_inline_frames |= w->p->frames[frame].kind == FRAME_INLINE;
}

/* Numbers the mappings of all frames. Readers expect the program to be the first one. */
static void write_mappings(struct pprof_writer *w)
{
	const struct profile *p = w->p;
	Pprof__Mapping *mappings = xcalloc((size_t)p->nr_frames + 1, sizeof(*mappings));
	bool *unnamed = xcalloc((size_t)p->nr_frames + 1, sizeof(*unnamed));
	uint32_t program = 0;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		if (p->frames[i].label == LABEL_SET)
			continue;
		uint32_t id = w->mapping_of[i] = mapping_of(w, mappings, i);

		if (id)
			set_flags(w, &mappings[id], &unnamed[id], i);
		if (!program && is_program(p, i))
			program = id;
	}
	if (program)
		write_mapping(w, program, &mappings[program]);
	for (uint32_t id = 1; id < w->nr_mappings; id++)
		if (id != program)
			write_mapping(w, id, &mappings[id]);
	free(unnamed);
	free(mappings);
}

/*
 * Returns the number of a frame's function. Its system_name, the mangled name, remains empty: if it
 * equals the name, pprof removes text that looks like arguments.
 */
static uint32_t function_of(
	struct pprof_writer *w, uint32_t frame, const struct export_source *source)
{
	struct strbuf name = STRBUF_INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	bool is_new;

	export_name(w->p, frame, &name);
	function.name = add_string(w, name.buf, name.len);
	function.filename = add_string(w, source->file, source->len);
	strbuf_release(&name);

	uint32_t *id = table_put(
		&w->functions, (uint64_t)function.name, (uint64_t)function.filename, &is_new);

	if (!is_new)
		return *id;
	function.id = *id = (uint32_t)w->functions.nr;
	part.n_function = 1;
	part.function = &(Pprof__Function *){&function};
	put(w, &part);
	return *id;
}

static void write_location(struct pprof_writer *w, uint32_t id, uint32_t frame)
{
	Pprof__Line lines[LINES_IN_LOCATION], *list[LINES_IN_LOCATION];
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	location.id = id;
	location.mapping_id = w->mapping_of[frame];
	location.address = place_get(&w->p->names, w->p->frames[frame].place).address;
	for (uint32_t at = id; at; at = w->locations[at].outer) {
		Pprof__Line *line = &lines[location.n_line];

		pprof__line__init(line);
		line->function_id = w->locations[at].function;
		line->line = w->locations[at].line;
		list[location.n_line++] = line;
	}
	location.line = list;
	part.n_location = 1;
	part.location = &(Pprof__Location *){&location};
	put(w, &part);
}

static uint32_t location_of(struct pprof_writer *w, uint32_t frame, uint32_t outer)
{
	bool is_new;
	uint32_t *id = table_put(&w->by_frame, frame, outer, &is_new);

	if (!is_new)
		return *id;
	*id = w->nr_locations;

	struct export_source source = export_source(w->p, frame);
	struct location location = {
		.function = function_of(w, frame, &source),
		.line = source.line,
		.outer = outer,
		.nr = w->locations[outer].nr + 1,
	};

	ALLOC_GROW(w->locations, w->nr_locations, w->locations_alloc);
	w->locations[w->nr_locations] = location;
	write_location(w, w->nr_locations, frame);
	return w->nr_locations++;
}

/* True if FRAME is inlined into its CALLER, whose location is OUTER. */
static bool joins(const struct pprof_writer *w, uint32_t frame, uint32_t caller, uint32_t outer)
{
	static const bool is_code[FRAME_KINDS] = {
		[FRAME_USER] = true,
		[FRAME_KERNEL] = true,
		[FRAME_INLINE] = true,
		[FRAME_JIT] = true,
		[FRAME_WAKER] = true,
	};
	const struct frame *frames = w->p->frames;

	return caller && frames[frame].kind == FRAME_INLINE &&
	       frames[frame].place == frames[caller].place && is_code[frames[caller].kind] &&
	       w->mapping_of[frame] == w->mapping_of[caller] &&
	       w->locations[outer].nr < LINES_IN_LOCATION;
}

/* Whether the frame becomes the label "task", which pprof's -tagfocus can select. */
static bool is_task(const struct frame *f)
{
	return f->kind == FRAME_TASK && f->label == LABEL_NONE;
}

static uint32_t name_of(struct pprof_writer *w, uint32_t frame)
{
	size_t len;
	const char *name = profile_name(w->p, frame, &len);

	return add_string(w, name, len);
}

static void enter(struct pprof_writer *w, const struct preorder *at)
{
	const struct profile_node *nodes = w->p->nodes;
	uint32_t frame = nodes[at->node].frame, caller = nodes[nodes[at->node].parent].frame;
	const struct frame *f = &w->p->frames[frame];

	ALLOC_GROW(w->path, at->depth, w->path_alloc);

	struct pprof_level *level = &w->path[at->depth], *above = &w->path[at->depth - 1];

	*level = (struct pprof_level){
		.task = above->task, .labels = above->labels, .state = above->state};
	if (f->label == LABEL_SET) {
		level->labels = frame;
		return;
	}
	if (f->label == LABEL_STATE) {
		level->state = frame;
		return;
	}
	level->inlined = joins(w, frame, caller, above->location);
	level->location = location_of(w, frame, level->inlined ? above->location : 0);
	if (is_task(f))
		level->task = name_of(w, frame);
}

struct sample_labels {
	Pprof__Label list[LABEL_SET_MAX + 1], *pointers[LABEL_SET_MAX + 1];
	size_t nr;
};

static void add_label(struct sample_labels *labels, uint32_t key, uint32_t value)
{
	Pprof__Label *label = &labels->list[labels->nr];

	pprof__label__init(label);
	label->key = key;
	label->str = value;
	labels->pointers[labels->nr++] = label;
}

static uint32_t add_word(struct pprof_writer *w, const struct word *word)
{
	return add_string(w, word->s, word->len);
}

/* Adds the labels of a LABEL_SET frame, which comes from recording_to_profile. */
static void add_label_set(struct pprof_writer *w, struct sample_labels *labels, uint32_t frame)
{
	struct word words[2 * LABEL_SET_MAX + 1];
	size_t len;
	const char *name = profile_name(w->p, frame, &len);
	char *copy = xstrndup(name, len);
	size_t nr = words_split(copy, len, words, ARRAY_LEN(words));

	for (size_t i = 0; i + 1 < nr; i += 2)
		add_label(labels, add_word(w, &words[i]), add_word(w, &words[i + 1]));
	free(copy);
}

static void write_sample(struct pprof_writer *w, size_t depth, uint64_t self)
{
	int64_t values[] = {(int64_t)self, (int64_t)(self * w->period)};
	const struct pprof_level *leaf = &w->path[depth];
	struct sample_labels labels = {.nr = 0};
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT;

	for (size_t i = depth; i; i--) {
		if (!w->path[i].location)
			continue;
		ALLOC_GROW(w->ids, sample.n_location_id, w->ids_alloc);
		w->ids[sample.n_location_id++] = w->path[i].location;
		while (w->path[i].inlined)
			i--;
	}
	sample.location_id = w->ids;
	sample.n_value = w->period ? 2 : 1;
	sample.value = values;
	if (leaf->task)
		add_label(&labels, add_text(w, "task"), leaf->task);
	if (leaf->labels)
		add_label_set(w, &labels, leaf->labels);
	else if (leaf->state)
		add_label(&labels, add_text(w, "state"), name_of(w, leaf->state));
	sample.n_label = labels.nr;
	sample.label = labels.pointers;
	part.n_sample = 1;
	part.sample = &(Pprof__Sample *){&sample};
	put(w, &part);
}

static void write_samples(struct pprof_writer *w, uint64_t scale)
{
	struct preorder at = preorder_begin(w->p);

	do {
		uint64_t self = preorder_self(&at, scale);

		if (at.depth)
			enter(w, &at);
		if (self)
			write_sample(w, at.depth, self);
	} while (preorder_next(&at));
}

static void write_strings(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->strings.nr; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_string_table = 1;
		part.string_table = &(char *){(char *)strpool_get(&w->strings, i)};
		put(w, &part);
	}
}

static void writer_init(struct pprof_writer *w, const struct profile *p)
{
	*w = (struct pprof_writer){.buffer = {append}, .p = p, .text = STRBUF_INIT};
	strpool_init(&w->strings);
	strpool_init(&w->modules);
	w->mapping_of = xcalloc(p->nr_frames, sizeof(*w->mapping_of));
	table_init(&w->functions);
	table_init(&w->by_module);
	w->nr_mappings = 1;
	if (!strcmp(p->unit, "samples") && !p->timing.mixed)
		w->period = p->timing.period;
	table_init(&w->by_frame);
	ALLOC_GROW(w->locations, w->nr_locations, w->locations_alloc);
	w->locations[w->nr_locations++] = (struct location){0};
	ALLOC_GROW(w->path, 0, w->path_alloc);
	w->path[0] = (struct pprof_level){0};
}

static void writer_release(struct pprof_writer *w)
{
	strpool_release(&w->strings);
	strpool_release(&w->modules);
	free(w->mapping_of);
	table_release(&w->functions);
	table_release(&w->by_module);
	table_release(&w->by_frame);
	free(w->locations);
	free(w->path);
	free(w->ids);
	strbuf_release(&w->text);
}

static void write_all(struct pprof_writer *w)
{
	uint64_t scale =
		preorder_scale(w->p->nodes[0].total, INT64_MAX / (w->period ? w->period : 1));

	write_sample_type(w);
	write_timing(w);
	write_comments(w, scale);
	write_mappings(w);
	write_samples(w, scale);
	write_strings(w);
}

void export_pprof_bytes(const struct profile *p, struct strbuf *out)
{
	struct pprof_writer w;

	writer_init(&w, p);
	w.plain = out;
	write_all(&w);
	writer_release(&w);
}

int view_pprof(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct pprof_writer w;
	int ret;

	writer_init(&w, p);
	ret = gzip_init(&w.gzip, out, err);
	if (!ret) {
		write_all(&w);
		gzip_finish(&w.gzip);
		ret = written(out, err);
	}
	writer_release(&w);
	return ret;
}
