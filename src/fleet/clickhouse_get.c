/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions: what is stored, and its samples as a recording. */
#include "clickhouse.h"
#include "lib/format/csv.h"
#include "lib/util.h"
#include "model/recording_words.h"
#include "rowbinary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEAD_SHARD "Code: 279"

struct getter {
	const struct fleet_url *url;
	struct recording *rec;
	struct strbuf where;  /* condition of samples */
	struct strbuf series; /* condition of series, without "WHERE" */
	struct strbuf times;  /* condition of times */
	struct strbuf answer;
	struct strbuf *err;
	bool is_part;           /* a shard did not answer */
	struct table series_of; /* number -> index in list */
	struct stored_series {
		uint32_t event, task, labels;
	} * list;
	size_t nr, alloc;
	struct table maps;    /* build-id, path and distance -> map */
	struct table frames;  /* number -> frame, or mark + FRAME_MARKS */
	struct table sources; /* path, blob -> source */
	struct table stacks;  /* number -> index in stacks_of */
	struct stack_mark {
		unsigned kind, end;
		uint32_t cut_by;
	} * marks;
	size_t nr_marks, marks_alloc;
	struct row_stacks {
		uint32_t list[ROW_STACKS];
	} * stacks_of;
	size_t nr_stacks, stacks_alloc;
	uint32_t first, last; /* when the first and the last window of the samples began */
	struct table shards;  /* of the hosts that have samples */
};

enum { FRAME_MARKS = 1U << 31 };

/* ---- conditions ---- */

/* Appends VALUE like PATTERN, in which "*" stands for any text. */
static void add_like(const char *value, const char *pattern, struct strbuf *out)
{
	struct strbuf like = STRBUF_INIT;

	for (; *pattern; pattern++) {
		if (*pattern == '%' || *pattern == '_' || *pattern == '\\')
			strbuf_addch(&like, '\\');
		strbuf_addch(&like, *pattern == '*' ? '%' : *pattern);
	}
	strbuf_addf(out, " AND %s LIKE ", value);
	clickhouse_quote(like.buf, out);
	strbuf_release(&like);
}

static void add_conditions(struct getter *g)
{
	uint64_t from, to;

	fleet_url_times(g->url, &from, &to);
	strbuf_addf(&g->times, "ts >= toDateTime(%" PRIu64 ") AND ts < toDateTime(%" PRIu64 ")",
		from, to);
	strbuf_adds(&g->series, "1");
	strbuf_adds(&g->where, g->times.buf);
	for (size_t i = 0; i < g->url->nr_conditions; i++) {
		const struct fleet_condition *c = &g->url->conditions[i];
		struct strbuf value = STRBUF_INIT;

		if (!strcmp(c->key, "service") || !strcmp(c->key, "event")) {
			add_like(c->key, c->pattern, &g->where);
			strbuf_adds(&value, c->key);
		} else {
			strbuf_adds(&value, "labels.value[indexOf(labels.key, ");
			clickhouse_quote(c->key, &value);
			strbuf_adds(&value, ")]");
		}
		add_like(value.buf, c->pattern, &g->series);
		strbuf_release(&value);
	}
	strbuf_addf(&g->where, " AND series GLOBAL IN (SELECT series FROM series WHERE %s)",
		g->series.buf);
}

/* Asks for the rows of QUERY. If a shard is dead, asks the others. */
static int ask(struct getter *g, const char *query, struct row_reader *rows)
{
	struct strbuf why = STRBUF_INIT;
	const char *settings = g->is_part ? "skip_unavailable_shards=1" : "";
	enum http_result ret = clickhouse_query(g->url, query, settings, NULL, &g->answer, &why);

	if (ret != HTTP_DONE && !g->is_part && strstr(why.buf, DEAD_SHARD)) {
		g->is_part = true;
		fail(g->err, "a shard does not answer: its samples are missing\n");
		strbuf_release(&why);
		return ask(g, query, rows);
	}
	strbuf_add(g->err, why.buf, why.len);
	strbuf_release(&why);
	*rows = (struct row_reader){g->answer.buf, g->answer.buf + g->answer.len};
	return ret == HTTP_DONE ? 0 : -1;
}

static int ended(struct getter *g, const struct row_reader *rows)
{
	return rows->at ? 0 : fail(g->err, "the server's answer is not whole\n");
}

/* ---- series ---- */

static uint32_t take_string(struct getter *g, struct row_reader *r)
{
	size_t len;
	const char *s = row_string(r, &len);

	return strpool_add(&g->rec->strings, s, len);
}

static uint32_t event_of(struct getter *g, struct row_reader *r)
{
	struct rec_event e;

	e.name = take_string(g, r);
	e.unit = take_string(g, r);
	e.clock = take_string(g, r);
	e.period = row_number(r, 8);
	for (uint32_t i = 0; i < g->rec->nr_events; i++) {
		const struct rec_event *other = &g->rec->events[i];

		if (other->name == e.name && other->unit == e.unit && other->period == e.period)
			return i;
	}
	const struct recording *rec = g->rec;

	return recording_add_event(g->rec, recording_get(rec, e.name), recording_get(rec, e.unit),
		recording_get(rec, e.clock), e.period);
}

/* Returns the set of labels, and in *COMM the name of the thread, which is one of them. */
static uint32_t take_labels(
	struct getter *g, struct row_reader *r, uint32_t service, uint32_t *comm)
{
	struct label labels[LABEL_SET_MAX] = {{recording_string(g->rec, "service"), service}};
	size_t nr = row_length(r), kept = 1;
	uint32_t *keys = xcalloc(nr + 1, sizeof(*keys));

	for (size_t i = 0; i < nr; i++)
		keys[i] = take_string(g, r);
	nr = row_length(r);
	for (size_t i = 0; i < nr && r->at; i++) {
		uint32_t value = take_string(g, r);

		if (!strcmp(recording_get(g->rec, keys[i]), "comm"))
			*comm = value;
		else if (kept < LABEL_SET_MAX)
			labels[kept++] = (struct label){keys[i], value};
	}
	free(keys);
	return recording_labels(g->rec, labels, kept);
}

/* Each thread's name is a task: which process it was is not stored. */
static uint32_t task_of(struct getter *g, uint32_t comm)
{
	for (uint32_t i = 0; i < g->rec->nr_tasks; i++)
		if (g->rec->tasks[i].comm == comm)
			return i;
	return recording_add_task(g->rec, &(struct rec_task){.comm = comm});
}

static int get_series(struct getter *g)
{
	struct row_reader r;
	char *query = xasprintf("SELECT DISTINCT service, series, event, unit, clock, period, "
				"labels.key, labels.value FROM series WHERE %s ORDER BY event != "
				"'on-cpu', event, series FORMAT RowBinary",
		g->series.buf);
	int ret = ask(g, query, &r);

	free(query);
	while (!ret && row_has_more(&r)) {
		uint32_t service = take_string(g, &r), comm = 0;
		uint64_t number = row_number(&r, 8);
		struct stored_series s = {.event = event_of(g, &r)};
		bool is_new;

		s.labels = take_labels(g, &r, service, &comm);
		s.task = task_of(g, comm);
		*table_put(&g->series_of, number, 0, &is_new) = (uint32_t)g->nr;
		ALLOC_GROW(g->list, g->nr, g->alloc);
		g->list[g->nr++] = s;
	}
	return ret ? ret : ended(g, &r);
}

/* ---- frames ---- */

/* Returns the map of a file in which link addresses are DISTANCE above the offsets. */
static uint32_t map_of(struct getter *g, uint32_t build_id, uint32_t path, uint64_t distance)
{
	bool is_new;
	uint32_t *at = table_put(&g->maps, (uint64_t)build_id << 32 | path, distance, &is_new);

	if (is_new)
		*at = recording_add_map(g->rec, &(struct rec_map){.generation = 1,
							.end = 1ULL << 62,
							.build_id = build_id,
							.path = path,
							.has_link = true,
							.link = distance});
	return *at;
}

static unsigned word_index(const char *word, const char *const *words, unsigned nr)
{
	unsigned i = 0;

	while (i < nr && strcmp(words[i], word) != 0)
		i++;
	return i;
}

static enum frame_kind kind_of(const char *word)
{
	int kind = 0;

	while (kind < FRAME_KINDS && strcmp(frame_kind_word((enum frame_kind)kind), word) != 0)
		kind++;
	return kind < FRAME_KINDS ? (enum frame_kind)kind : FRAME_USER;
}

static uint32_t add_mark(struct getter *g, uint32_t kind, uint32_t cut_by, uint64_t end)
{
	unsigned index = word_index(recording_get(g->rec, kind), stack_kind_words, STACK_KINDS);

	ALLOC_GROW(g->marks, g->nr_marks, g->marks_alloc);
	g->marks[g->nr_marks] = (struct stack_mark){index < STACK_KINDS ? index : STACK_USER,
		end && end <= END_KINDS ? (unsigned)end - 1 : END_BROKEN, cut_by};
	return (uint32_t)g->nr_marks++ | FRAME_MARKS;
}

/* Takes the names of a frame, which are lists of their members. The caller frees them. */
static struct rec_name *take_names(struct getter *g, struct row_reader *r, size_t *nr)
{
	*nr = row_length(r);
	struct rec_name *names = xcalloc(*nr + 1, sizeof(*names));

	for (size_t i = 0; i < *nr; i++)
		names[i].function = take_string(g, r);
	for (size_t i = 0, n = row_length(r); i < n && i < *nr; i++)
		names[i].module = take_string(g, r);
	for (size_t i = 0, n = row_length(r); i < n && i < *nr; i++)
		names[i].file = take_string(g, r);
	for (size_t i = 0, n = row_length(r); i < n && i < *nr; i++)
		names[i].line = (uint32_t)row_number(r, 4);
	return names;
}

/* Takes what FILE, the source file of a frame, had in it. */
static void take_sources(struct getter *g, struct row_reader *r, uint32_t file)
{
	size_t nr = row_length(r);
	uint32_t *list = xcalloc(nr + 1, sizeof(*list));

	for (size_t i = 0; i < nr; i++) {
		uint32_t blob = take_string(g, r);
		bool is_new;
		uint32_t *at = table_put(&g->sources, file, blob, &is_new);

		if (is_new)
			*at = recording_add_source(g->rec, file, blob);
		list[i] = *at;
	}
	for (size_t i = 0, n = row_length(r); i < n && i < nr; i++)
		g->rec->sources[list[i]].late |= row_number(r, 1) > 0;
	free(list);
}

/* Takes a frame. The row that knows most of it comes first; others are left out. */
static void take_frame(struct getter *g, struct row_reader *r)
{
	uint64_t number = row_number(r, 8);
	uint32_t kind = take_string(g, r), build_id = take_string(g, r), path = take_string(g, r);
	bool in_map = row_number(r, 1);
	struct rec_frame f = {.kind = kind_of(recording_get(g->rec, kind)), .place = AT_NAME};

	f.call = row_number(r, 1);
	f.cold = row_number(r, 1);
	uint64_t address = row_number(r, 8), offset = row_number(r, 8);

	f.start = row_number(r, 8);
	size_t nr;
	struct rec_name *names = take_names(g, r, &nr);
	bool is_new;

	take_sources(g, r, names->file);
	uint32_t *at = table_put(&g->frames, number, 0, &is_new);

	if (is_new && !strcmp(recording_get(g->rec, kind), FLEET_STACK_KIND)) {
		*at = add_mark(g, build_id, path, f.start);
	} else if (is_new) {
		if (in_map) {
			f.place = AT_MAP;
			f.map = map_of(g, build_id, path, address - offset);
			f.addr = offset;
		}
		*at = recording_add_frame(g->rec, &f);
		recording_name_frame(g->rec, *at, names, nr);
	}
	free(names);
}

static int get_frames(struct getter *g)
{
	struct row_reader r;
	char *query = xasprintf(
		"SELECT frame, kind, build_id, module, place, call, cold, address, offset, start, "
		"names.function, names.module, names.file, names.line, sources.blob, "
		"sources.late FROM frames WHERE frame GLOBAL IN (SELECT DISTINCT arrayJoin(frames) "
		"FROM stacks WHERE stack GLOBAL IN "
		"(SELECT DISTINCT stack FROM samples WHERE %s)) ORDER BY frame, version DESC, seen "
		"DESC FORMAT RowBinary",
		g->where.buf);
	int ret = ask(g, query, &r);

	free(query);
	while (!ret && row_has_more(&r))
		take_frame(g, &r);
	return ret ? ret : ended(g, &r);
}

/* ---- stacks ---- */

/* Adds the frames of one stack, which are here from the root. */
static void add_stack(struct getter *g, const struct stack_mark *mark, uint32_t *frames, size_t nr,
	struct row_stacks *of, size_t *at)
{
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t other = frames[nr - 1 - i];

		frames[nr - 1 - i] = frames[i];
		frames[i] = other;
	}
	if (mark && *at < ROW_STACKS)
		of->list[(*at)++] = recording_add_stack(g->rec, (enum stack_kind)mark->kind,
			(enum stack_end)mark->end, mark->cut_by, frames, nr);
}

static void take_stack(struct getter *g, struct row_reader *r)
{
	uint64_t number = row_number(r, 8);
	size_t nr = row_length(r), kept = 0, at = 0;
	uint32_t *frames = xcalloc(nr + 1, sizeof(*frames));
	struct row_stacks of = {{NO_STACK, NO_STACK, NO_STACK, NO_STACK}};
	struct stack_mark mark, *before = NULL;
	bool is_new;

	for (size_t i = 0; i < nr; i++) {
		const uint32_t *frame = table_get(&g->frames, row_number(r, 8), 0);

		if (frame && *frame & FRAME_MARKS) {
			add_stack(g, before, frames, kept, &of, &at);
			kept = 0;
			mark = g->marks[*frame & ~FRAME_MARKS];
			before = &mark;
		} else if (frame) {
			frames[kept++] = *frame;
		}
	}
	add_stack(g, before, frames, kept, &of, &at);
	free(frames);
	uint32_t *index = table_put(&g->stacks, number, 0, &is_new);

	if (!is_new)
		return;
	*index = (uint32_t)g->nr_stacks;
	ALLOC_GROW(g->stacks_of, g->nr_stacks, g->stacks_alloc);
	g->stacks_of[g->nr_stacks++] = of;
}

static int get_stacks(struct getter *g)
{
	struct row_reader r;
	char *query = xasprintf("SELECT DISTINCT stack, frames FROM stacks WHERE stack GLOBAL IN "
				"(SELECT DISTINCT stack FROM samples WHERE %s) FORMAT RowBinary",
		g->where.buf);
	int ret = ask(g, query, &r);

	free(query);
	while (!ret && row_has_more(&r))
		take_stack(g, &r);
	return ret ? ret : ended(g, &r);
}

/* ---- samples and windows ---- */

/* Notes when the samples of a row were taken, and by which host. */
static void note_window(struct getter *g, struct row_reader *r)
{
	uint32_t first = (uint32_t)row_number(r, 4), last = (uint32_t)row_number(r, 4);
	bool is_new;

	g->first = g->first && g->first < first ? g->first : first;
	g->last = g->last > last ? g->last : last;
	table_put(&g->shards, row_number(r, 2), 0, &is_new);
}

static int get_samples(struct getter *g)
{
	uint64_t unknown = 0;
	struct row_reader r;
	char *query = xasprintf("SELECT series, stack, sum(count), sum(value), min(ts), max(ts), "
				"any(shard) FROM samples WHERE %s GROUP BY series, stack ORDER BY "
				"sum(value) DESC, stack, series FORMAT RowBinary",
		g->where.buf);
	int ret = ask(g, query, &r);

	free(query);
	while (!ret && row_has_more(&r)) {
		const uint32_t *series = table_get(&g->series_of, row_number(&r, 8), 0);
		const uint32_t *stack = table_get(&g->stacks, row_number(&r, 8), 0);
		struct rec_row row = {.count = row_number(&r, 8)};

		row.sum = row_number(&r, 8);
		note_window(g, &r);
		if (!series || !stack) {
			add_capped(&unknown, row.count);
			continue;
		}
		row.event = g->list[*series].event;
		row.task = g->list[*series].task;
		row.labels = g->list[*series].labels;
		memcpy(row.stacks, g->stacks_of[*stack].list, sizeof(row.stacks));
		recording_add_row(g->rec, &row);
	}
	add_capped(&g->rec->lost[LOST_NO_BODY], unknown);
	return ret ? ret : ended(g, &r);
}

static void set_meta(struct getter *g, const char *key, struct row_reader *r)
{
	size_t len;
	const char *s = row_string(r, &len);
	char *value = xstrndup(s, len);

	if (len)
		recording_set_meta(g->rec, key, value);
	free(value);
}

/* Whether windows have what the condition names. */
static bool is_of_windows(const struct fleet_condition *c)
{
	return !strcmp(c->key, "host") || !strcmp(c->key, "event");
}

/*
 * Appends the condition of windows of the hosts that have such samples. A label such as a version
 * belongs to a part of the time, from its first window to its last; a service may have been idle.
 */
static void add_hosts(const struct getter *g, struct strbuf *out)
{
	const struct fleet_url *u = g->url;
	bool by_label = false, by_sample = false;

	for (size_t i = 0; i < u->nr_conditions; i++)
		if (is_of_windows(&u->conditions[i]))
			add_like(u->conditions[i].key, u->conditions[i].pattern, out);
		else if (strcmp(u->conditions[i].key, "service"))
			by_label = by_sample = true;
		else
			by_sample = true;
	if (!g->shards.nr) {
		strbuf_adds(out, by_sample ? " AND 0" : ""); /* no host has such samples */
		return;
	}
	if (by_label)
		strbuf_addf(out,
			" AND ts >= toDateTime(%" PRIu32 ") AND ts <= toDateTime(%" PRIu32 ")",
			g->first, g->last);
	if (!by_sample)
		return;
	strbuf_adds(out, " AND shard IN (");
	for (uint32_t i = 0, nr = 0; i <= UINT16_MAX; i++)
		if (table_get(&g->shards, i, 0))
			strbuf_addf(out, "%s%" PRIu32, nr++ ? "," : "", i);
	strbuf_addch(out, ')');
}

/* Adds what the windows tell together: times, processors, and what was lost. */
static int get_windows(struct getter *g)
{
	struct row_reader r;
	struct strbuf hosts = STRBUF_INIT;

	add_hosts(g, &hosts);
	char *query = xasprintf(
		"SELECT reason, sum(nr) FROM windows ARRAY JOIN lost.reason AS reason, lost.count "
		"AS nr WHERE %s%s GROUP BY reason FORMAT RowBinary",
		g->times.buf, hosts.buf);
	int ret = ask(g, query, &r);

	free(query);
	while (!ret && row_has_more(&r)) {
		uint32_t word = take_string(g, &r);
		int reason = lost_reason_parse(recording_get(g->rec, word));

		add_capped(&g->rec->lost[reason < 0 ? LOST_UNREADABLE : reason], row_number(&r, 8));
	}
	ret = ret ? ret : ended(g, &r);
	query = xasprintf(
		"SELECT any(title), formatDateTime(toTimeZone(min(ts), 'UTC'), "
		"'%%Y-%%m-%%dT%%H:%%M:%%SZ'), toString(sum(ms) / 1000), "
		"if(min(cpus) = max(cpus), toString(any(cpus)), ''), if(uniqExact(host) "
		"= 1, any(host), concat(toString(uniqExact(host)), ' hosts')), if(uniqExact("
		"target) = 1, any(target), '') FROM windows WHERE %s%s FORMAT RowBinary",
		g->times.buf, hosts.buf);
	if (!ret)
		ret = ask(g, query, &r);
	free(query);
	strbuf_release(&hosts);
	if (ret || !row_has_more(&r))
		return ret;
	static const char *const keys[] = {"title", "started", "seconds", "cpus", "host", "target"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		set_meta(g, keys[i], &r);
	return ended(g, &r);
}

int clickhouse_get(const struct fleet_url *url, struct recording *rec, struct strbuf *err)
{
	struct getter g = {.url = url,
		.rec = rec,
		.err = err,
		.where = STRBUF_INIT,
		.series = STRBUF_INIT,
		.times = STRBUF_INIT,
		.answer = STRBUF_INIT};
	struct table *tables[] = {
		&g.series_of, &g.maps, &g.frames, &g.sources, &g.stacks, &g.shards};

	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		table_init(tables[i]);
	add_conditions(&g);
	recording_add_meta(rec, "producer", "flametap " VERSION);
	int ret = get_series(&g) || get_frames(&g) || get_stacks(&g) || get_samples(&g) ||
				  get_windows(&g)
			  ? -1
			  : g.is_part;

	if (g.is_part)
		recording_set_meta(rec, "incomplete", "yes");
	if (!ret && !rec->nr_rows)
		strbuf_adds(err,
			"no stored sample matches this URL: bt-fleet ls lists what is stored\n");
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		table_release(tables[i]);
	free(g.list);
	free(g.marks);
	free(g.stacks_of);
	strbuf_release(&g.where);
	strbuf_release(&g.series);
	strbuf_release(&g.times);
	strbuf_release(&g.answer);
	return ret;
}

/* Copies the next string as a field of CSV. */
static void copy_field(struct row_reader *r, struct strbuf *out)
{
	size_t len;
	const char *s = row_string(r, &len);

	csv_field(out, s, len);
	strbuf_addch(out, ',');
}

int clickhouse_list(const struct fleet_url *url, FILE *out, struct strbuf *err)
{
	struct getter g = {.url = url,
		.where = STRBUF_INIT,
		.series = STRBUF_INIT,
		.times = STRBUF_INIT,
		.answer = STRBUF_INIT,
		.err = err};
	struct strbuf lines = STRBUF_INIT;
	struct row_reader r;

	add_conditions(&g);
	char *query = xasprintf(
		"SELECT service, event, host, version, sum(count) FROM (SELECT series, count FROM "
		"samples WHERE %s) AS a ANY INNER JOIN (SELECT series, service, event, "
		"labels.value[indexOf(labels.key, 'host')] AS host, "
		"labels.value[indexOf(labels.key, 'version')] AS version FROM series WHERE %s) "
		"AS b USING series GROUP BY service, event, host, version ORDER BY service, event, "
		"host, version FORMAT RowBinary",
		g.where.buf, g.series.buf);
	int ret = ask(&g, query, &r);

	free(query);
	strbuf_adds(&lines, "service,event,host,version,count\n");
	while (!ret && row_has_more(&r)) {
		for (int i = 0; i < 4; i++)
			copy_field(&r, &lines);
		strbuf_addf(&lines, "%" PRIu64 "\n", row_number(&r, 8));
	}
	ret = ret ? ret : ended(&g, &r);
	if (!ret)
		strbuf_flush(&lines, out);
	strbuf_release(&lines);
	strbuf_release(&g.where);
	strbuf_release(&g.series);
	strbuf_release(&g.times);
	strbuf_release(&g.answer);
	return ret ? ret : g.is_part;
}
