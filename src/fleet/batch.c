/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch.h"
#include "lib/util.h"
#include "model/recording_words.h"
#include "rowbinary.h"

#include <stdlib.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	VALUES_MAX = 100,   /* different values of a label in a window; others are OTHER */
	SENT_MAX = 1 << 20, /* what a memory has at most */
};
#define OTHER "[other]"

const char *const fleet_tables[FLEET_TABLES] = {"frames", "stacks", "series", "samples", "windows"};
const char *const fleet_columns[FLEET_TABLES] = {
	"shard, frame, kind, build_id, module, place, call, cold, address, offset, start, "
	"names.function, names.module, names.file, names.line, sources.blob, sources.late, "
	"version, seen",
	"shard, service, stack, frames, seen",
	"shard, service, series, event, unit, clock, period, labels.key, labels.value, seen",
	"shard, service, event, ts, series, stack, count, value",
	"shard, event, host, ts, ms, cpus, title, target, lost.reason, lost.count, rows",
};

struct maker {
	const struct recording *rec;
	struct fleet_memory *memory;
	struct fleet_batch *batch;
	const char *host;
	uint64_t *frames;    /* numbers by frame of the recording, or 0 */
	struct table values; /* label -> 1 if it is one of the values that are kept */
	struct table nr_values;
	struct table sums; /* series, stack -> index in list */
	struct sum {
		uint64_t series, stack, count, value;
		uint32_t event;
		char *service;
	} * list;
	size_t nr, alloc;
	struct strbuf text; /* what is hashed */
	uint64_t *stack;
	size_t stack_alloc;
};

void fleet_memory_init(struct fleet_memory *m)
{
	*m = (struct fleet_memory){0};
	table_init(&m->sent);
}

void fleet_memory_release(struct fleet_memory *m)
{
	table_release(&m->sent);
}

/* Returns whether ID has to be sent to TABLE, and notes that it will be. */
static bool is_new(struct maker *m, uint64_t id, enum fleet_table table)
{
	bool new = true;

	if (m->memory)
		table_put(&m->memory->sent, id, (uint64_t)table, &new);
	return new;
}

static struct strbuf *begin_row(struct maker *m, enum fleet_table table)
{
	struct strbuf *row = &m->batch->rows[table];

	m->batch->nr[table]++;
	row_add(row, m->batch->shard, 2);
	return row;
}

static uint16_t today(const struct maker *m)
{
	return (uint16_t)(m->batch->ts / DAY_S);
}

/* Adds a text or number with its end, so that different lists have different hashes. */
static void hash_string(struct maker *m, const char *s)
{
	strbuf_add(&m->text, s, strlen(s) + 1);
}

static void hash_number(struct maker *m, uint64_t n)
{
	strbuf_add(&m->text, &n, sizeof(n));
}

static uint64_t take_hash(struct maker *m)
{
	uint64_t hash = hash_bytes(m->text.buf, m->text.len);

	strbuf_reset(&m->text);
	return hash ? hash : 1;
}

/* ---- frames ---- */

/* What is known of a frame, apart from its names. */
struct frame_code {
	const char *kind, *build_id, *module;
	bool in_map, call, cold;
	uint64_t address, offset, start;
};

static struct frame_code code_of(const struct recording *rec, const struct rec_frame *f)
{
	struct frame_code c = {.kind = frame_kind_word(f->kind), .build_id = "", .module = ""};

	if (f->place != AT_MAP)
		return c;
	const struct rec_map *map = &rec->maps[f->map];

	c.in_map = true;
	c.build_id = recording_get(rec, map->build_id);
	c.module = recording_get(rec, map->path);
	c.start = f->start;
	c.cold = f->cold;
	if (!map->has_link)
		return c;
	c.call = f->call;
	c.address = map->link + f->addr;
	c.offset = map->offset + f->addr;
	return c;
}

/*
 * Returns the first source at AT or behind it that is the file of an interpreter's frame. What
 * processes of the host had there at different times is told by several.
 */
static size_t source_of(const struct recording *rec, const struct rec_frame *f, size_t at)
{
	while (at < rec->nr_sources &&
		(!f->nr_names || rec->sources[at].path != rec->names[f->names].file))
		at++;
	return at;
}

static void hash_sources(struct maker *m, const struct rec_frame *f)
{
	const struct recording *rec = m->rec;

	for (size_t i = 0; (i = source_of(rec, f, i)) < rec->nr_sources; i++) {
		hash_string(m, recording_get(rec, rec->sources[i].blob));
		hash_number(m, rec->sources[i].late);
	}
}

/* Returns the frame's number: of its place in a file with a build-id, or else of all about it. */
static uint64_t number_of(struct maker *m, const struct rec_frame *f, const struct frame_code *c)
{
	const struct recording *rec = m->rec;

	hash_string(m, c->kind);
	hash_string(m, c->build_id);
	hash_number(m, c->address);
	hash_number(m, c->call);
	if (*c->build_id && c->address)
		return take_hash(m);
	hash_string(m, c->module);
	hash_number(m, c->start);
	for (uint32_t i = 0; i < f->nr_names; i++) {
		const struct rec_name *n = &rec->names[f->names + i];

		hash_string(m, recording_get(rec, n->function));
		hash_string(m, recording_get(rec, n->module));
		hash_string(m, recording_get(rec, n->file));
		hash_number(m, n->line);
	}
	hash_sources(m, f);
	return take_hash(m);
}

static void add_sources(struct maker *m, struct strbuf *row, const struct rec_frame *f)
{
	const struct recording *rec = m->rec;
	uint64_t nr = 0;

	for (size_t i = 0; (i = source_of(rec, f, i)) < rec->nr_sources; i++)
		nr++;
	row_add_length(row, nr);
	for (size_t i = 0; (i = source_of(rec, f, i)) < rec->nr_sources; i++)
		row_add_string(row, recording_get(rec, rec->sources[i].blob));
	row_add_length(row, nr);
	for (size_t i = 0; (i = source_of(rec, f, i)) < rec->nr_sources; i++)
		row_add(row, rec->sources[i].late, 1);
}

static void add_string_column(
	struct maker *m, struct strbuf *row, const struct rec_frame *f, size_t member)
{
	row_add_length(row, f->nr_names);
	for (uint32_t i = 0; i < f->nr_names; i++) {
		const char *name = (const char *)&m->rec->names[f->names + i];

		row_add_string(row,
			recording_get(m->rec, *(const uint32_t *)(const void *)(name + member)));
	}
}

/* Returns how much is known of the names: more replaces less. */
static uint8_t version_of(const struct recording *rec, const struct rec_frame *f)
{
	uint8_t version = f->nr_names > 0;

	for (uint32_t i = 0; i < f->nr_names; i++)
		if (rec->names[f->names + i].file)
			version = f->nr_names > 1 ? 3 : 2;
	return version;
}

static void add_frame(
	struct maker *m, uint64_t number, const struct rec_frame *f, const struct frame_code *c)
{
	struct strbuf *row = begin_row(m, FLEET_FRAMES);

	row_add(row, number, 8);
	row_add_string(row, c->kind);
	row_add_string(row, c->build_id);
	row_add_string(row, c->module);
	row_add(row, c->in_map, 1);
	row_add(row, c->call, 1);
	row_add(row, c->cold, 1);
	row_add(row, c->address, 8);
	row_add(row, c->offset, 8);
	row_add(row, c->start, 8);
	add_string_column(m, row, f, offsetof(struct rec_name, function));
	add_string_column(m, row, f, offsetof(struct rec_name, module));
	add_string_column(m, row, f, offsetof(struct rec_name, file));
	row_add_length(row, f->nr_names);
	for (uint32_t i = 0; i < f->nr_names; i++)
		row_add(row, m->rec->names[f->names + i].line, 4);
	add_sources(m, row, f);
	row_add(row, version_of(m->rec, f), 1);
	row_add(row, today(m), 2);
}

static uint64_t frame_of(struct maker *m, uint32_t id)
{
	const struct rec_frame *f = &m->rec->frames[id];

	if (m->frames[id])
		return m->frames[id];
	struct frame_code c = code_of(m->rec, f);
	uint64_t number = m->frames[id] = number_of(m, f, &c);

	if (is_new(m, number, FLEET_FRAMES))
		add_frame(m, number, f, &c);
	return number;
}

/* Returns the frame that begins a stack of this kind and end. */
static uint64_t mark_of(struct maker *m, const struct rec_stack *s)
{
	const struct frame_code c = {.kind = FLEET_STACK_KIND,
		.build_id = stack_kind_words[s->kind],
		.module = recording_get(m->rec, s->cut_by),
		.start = (uint64_t)s->end + 1};
	const struct rec_frame none = {0};
	uint64_t number = number_of(m, &none, &c);

	if (is_new(m, number, FLEET_FRAMES))
		add_frame(m, number, &none, &c);
	return number;
}

/* ---- stacks and series ---- */

static void push(struct maker *m, size_t *nr, uint64_t frame)
{
	ALLOC_GROW(m->stack, *nr, m->stack_alloc);
	m->stack[(*nr)++] = frame;
}

static uint64_t stack_of(struct maker *m, const struct rec_row *row, const char *service)
{
	size_t nr = 0;

	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *s = &m->rec->stacks[row->stacks[i]];

		push(m, &nr, mark_of(m, s));
		for (uint32_t k = s->nr; k--;)
			push(m, &nr, frame_of(m, m->rec->frame_refs[s->first + k]));
	}
	strbuf_add(&m->text, m->stack ? m->stack : (uint64_t[]){0}, nr * sizeof(*m->stack));
	uint64_t number = take_hash(m);

	if (!is_new(m, number ^ hash_bytes(service, strlen(service)), FLEET_STACKS))
		return number;
	struct strbuf *out = begin_row(m, FLEET_STACKS);

	row_add_string(out, service);
	row_add(out, number, 8);
	row_add_length(out, nr);
	strbuf_add(out, m->stack ? m->stack : (uint64_t[]){0}, nr * sizeof(*m->stack));
	row_add(out, today(m), 2);
	return number;
}

/* Labels of a series, sorted by key, with the host and the thread's name at the end. */
struct series_labels {
	const char *keys[LABEL_SET_MAX + 2], *values[LABEL_SET_MAX + 2];
	size_t nr;
};

/* Returns the value of a label, or OTHER if its key has too many in this window. */
static const char *value_of(struct maker *m, uint32_t pair)
{
	const struct label *l = &m->rec->labels.pairs[pair];
	bool first, new;
	uint32_t *kept = table_put(&m->values, pair, 0, &new);
	uint32_t *nr = table_put(&m->nr_values, l->key, 0, &first);

	if (new &&*nr < VALUES_MAX) {
		*kept = 1;
		++*nr;
	}
	return *table_get(&m->values, pair, 0) ? recording_get(m->rec, l->value) : OTHER;
}

static void take_labels(struct maker *m, const struct rec_row *row, struct series_labels *labels)
{
	uint32_t pairs[LABEL_SET_MAX];
	size_t nr = labels_get(&m->rec->labels, row->labels, pairs);

	labels->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		const char *key = recording_get(m->rec, m->rec->labels.pairs[pairs[i]].key);

		if (!strcmp(key, "cgroup")) /* the unit and the container tell it shorter */
			continue;
		labels->keys[labels->nr] = key;
		labels->values[labels->nr++] = value_of(m, pairs[i]);
	}
	labels->keys[labels->nr] = "host";
	labels->values[labels->nr++] = m->host;
	labels->keys[labels->nr] = "comm";
	labels->values[labels->nr++] = recording_get(m->rec, m->rec->tasks[row->task].comm);
}

/* Returns the service: its label, or else the unit, or the container. The caller frees it. */
static char *service_of(const struct series_labels *labels)
{
	static const char *const keys[] = {"service", "unit", "container"};

	for (size_t k = 0; k < ARRAY_LEN(keys); k++)
		for (size_t i = 0; i < labels->nr; i++) {
			const char *value = labels->values[i];
			size_t len = strlen(value);

			if (strcmp(labels->keys[i], keys[k]))
				continue;
			return xstrndup(value, ends_with(value, ".service") ? len - 8 : len);
		}
	return xstrdup("other");
}

static void add_words(struct strbuf *row, const char *const *words, size_t nr)
{
	row_add_length(row, nr);
	for (size_t i = 0; i < nr; i++)
		row_add_string(row, words[i]);
}

static uint64_t series_of(
	struct maker *m, uint32_t event, const char *service, const struct series_labels *labels)
{
	const struct rec_event *e = &m->rec->events[event];
	const char *name = recording_get(m->rec, e->name);
	const char *target = recording_meta(m->rec, "target");

	hash_string(m, service);
	hash_string(m, name);
	hash_number(m, e->period);
	hash_string(m, target ? target : ""); /* of another recorder on this host */
	for (size_t i = 0; i < labels->nr; i++) {
		hash_string(m, labels->keys[i]);
		hash_string(m, labels->values[i]);
	}
	uint64_t number = take_hash(m);

	if (!is_new(m, number, FLEET_SERIES))
		return number;
	struct strbuf *row = begin_row(m, FLEET_SERIES);

	row_add_string(row, service);
	row_add(row, number, 8);
	row_add_string(row, name);
	row_add_string(row, recording_get(m->rec, e->unit));
	row_add_string(row, recording_get(m->rec, e->clock));
	row_add(row, e->period, 8);
	add_words(row, labels->keys, labels->nr);
	add_words(row, labels->values, labels->nr);
	row_add(row, today(m), 2);
	return number;
}

/* ---- samples ---- */

static void add_row(struct maker *m, const struct rec_row *row)
{
	struct series_labels labels;
	bool new;

	take_labels(m, row, &labels);
	char *service = service_of(&labels);
	uint64_t stack = stack_of(m, row, service);
	uint64_t series = series_of(m, row->event, service, &labels);
	uint32_t *at = table_put(&m->sums, series, stack, &new);

	if (new) {
		*at = (uint32_t)m->nr;
		ALLOC_GROW(m->list, m->nr, m->alloc);
		m->list[m->nr++] = (struct sum){series, stack, 0, 0, row->event, service};
	} else {
		free(service);
	}
	add_capped(&m->list[*at].count, row->count);
	add_capped(&m->list[*at].value, row->sum);
}

static void add_sample(struct maker *m, const struct sum *s)
{
	struct strbuf *row = begin_row(m, FLEET_SAMPLES);

	row_add_string(row, s->service);
	row_add_string(row, recording_get(m->rec, m->rec->events[s->event].name));
	row_add(row, m->batch->ts, 4);
	row_add(row, s->series, 8);
	row_add(row, s->stack, 8);
	row_add(row, s->count, 8);
	row_add(row, s->value, 8);
}

/* Lists the series of the samples, each once. */
static void list_series(struct maker *m)
{
	struct table seen;
	bool new;

	table_init(&seen);
	for (size_t i = 0; i < m->nr; i++) {
		table_put(&seen, m->list[i].series, 0, &new);
		if (new)
			strbuf_addf(&m->batch->series_list, "%s%llu", i ? "," : "",
				(unsigned long long)m->list[i].series);
	}
	table_release(&seen);
}

static const char *meta_of(const struct recording *rec, const char *key)
{
	const char *value = recording_meta(rec, key);

	return value ? value : "";
}

static void add_window(struct maker *m)
{
	const struct recording *rec = m->rec;
	struct strbuf *row = begin_row(m, FLEET_WINDOWS);
	uint64_t nr = 0;

	row_add_string(row, rec->nr_events ? recording_get(rec, rec->events[0].name) : "");
	row_add_string(row, m->host);
	row_add(row, m->batch->ts, 4);
	row_add(row, (uint64_t)(strtod(meta_of(rec, "seconds"), NULL) * 1000), 4);
	row_add(row, strtoul(meta_of(rec, "cpus"), NULL, 10), 2);
	row_add_string(row, meta_of(rec, "title"));
	row_add_string(row, meta_of(rec, "target"));
	for (int i = 0; i < LOST_REASONS; i++)
		nr += rec->lost[i] > 0;
	row_add_length(row, nr);
	for (int i = 0; i < LOST_REASONS; i++)
		if (rec->lost[i])
			row_add_string(row, lost_reason_word((enum lost_reason)i));
	row_add_length(row, nr);
	for (int i = 0; i < LOST_REASONS; i++)
		if (rec->lost[i])
			row_add(row, rec->lost[i], 8);
	row_add(row, m->batch->nr[FLEET_SAMPLES], 4);
}

/* Returns whether the number of F does not depend on its names. */
static bool has_own_number(const struct recording *rec, const struct rec_frame *f)
{
	struct frame_code c = code_of(rec, f);

	return *c.build_id && c.address;
}

static void begin(struct maker *m, struct fleet_batch *b, const struct recording *rec)
{
	*b = (struct fleet_batch){
		.series_list = STRBUF_INIT, .ts = (uint32_t)(recording_started(rec) / 1000000000)};
	for (int i = 0; i < FLEET_TABLES; i++)
		b->rows[i] = (struct strbuf)STRBUF_INIT;
	*m = (struct maker){
		.rec = rec, .batch = b, .host = meta_of(rec, "host"), .text = STRBUF_INIT};
	b->shard = (uint16_t)hash_bytes(m->host, strlen(m->host));
	m->frames = xcalloc(rec->nr_frames + 1, sizeof(*m->frames));
	table_init(&m->values);
	table_init(&m->nr_values);
	table_init(&m->sums);
}

static void end(struct maker *m)
{
	for (size_t i = 0; i < m->nr; i++)
		free(m->list[i].service);
	free(m->list);
	free(m->frames);
	free(m->stack);
	table_release(&m->values);
	table_release(&m->nr_values);
	table_release(&m->sums);
	strbuf_release(&m->text);
}

/* Frames, stacks and series are sent again each week, so that old weeks can be dropped. */
static void forget_weekly(struct fleet_memory *m, uint32_t ts)
{
	uint16_t week = (uint16_t)((ts / DAY_S + 3) / 7); /* 1970 began with a Thursday */

	if (week == m->week && m->sent.nr < SENT_MAX)
		return;
	fleet_memory_release(m);
	fleet_memory_init(m);
	m->week = week;
}

void fleet_batch_make(
	struct fleet_batch *b, const struct recording *rec, struct fleet_memory *memory)
{
	struct maker m;

	begin(&m, b, rec);
	forget_weekly(memory, b->ts);
	m.memory = memory;
	for (size_t i = 0; i < rec->nr_rows; i++)
		add_row(&m, &rec->rows[i]);
	for (size_t i = 0; i < m.nr; i++)
		add_sample(&m, &m.list[i]);
	list_series(&m);
	add_window(&m);
	end(&m);
}

void fleet_batch_make_names(struct fleet_batch *b, const struct recording *rec)
{
	struct maker m;

	begin(&m, b, rec);
	b->ts = (uint32_t)(realtime_ms() / 1000);
	for (uint32_t i = 0; i < rec->nr_frames; i++)
		if (rec->frames[i].nr_names && has_own_number(rec, &rec->frames[i]))
			frame_of(&m, i);
	end(&m);
}

void fleet_batch_release(struct fleet_batch *b)
{
	for (int i = 0; i < FLEET_TABLES; i++)
		strbuf_release(&b->rows[i]);
	strbuf_release(&b->series_list);
}
