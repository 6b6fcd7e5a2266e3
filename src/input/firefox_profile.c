/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processed profiles of the Firefox Profiler, which samply and perf's gecko script write, too:
 *
 *	{"meta": {…}, "libs": […], "shared": {tables},
 *	 "threads": [{"name", "processName", "pid", "tid", tables,
 *		      "samples": {"stack": [5, null, …], "weight": [1, …], "weightType":
 *"samples"}}]}
 *
 * The tables of a thread, or all threads' shared ones, are columns: stackTable {"prefix", "frame"},
 * frameTable {"func", "line"}, funcTable {"name", "resource"}, resourceTable {"name"}, and
 * stringArray or stringTable, whose numbers stand for names.
 */
#include "json_tree.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "module_frame.h"
#include "text_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum column { PREFIX, FRAME, FUNC, LINE, NAME, RESOURCE, RESOURCE_NAME, COLUMNS };

static const struct {
	const char *table, *member;
} columns[COLUMNS] = {
	[PREFIX] = {"stackTable", "prefix"},
	[FRAME] = {"stackTable", "frame"},
	[FUNC] = {"frameTable", "func"},
	[LINE] = {"frameTable", "line"},
	[NAME] = {"funcTable", "name"},
	[RESOURCE] = {"funcTable", "resource"},
	[RESOURCE_NAME] = {"resourceTable", "name"},
};

/* The tables of a thread, or of all. */
struct tables {
	struct json_column columns[COLUMNS];
	uint32_t *strings; /* in the profile's names */
	size_t nr_strings, strings_alloc;
};

struct firefox_thread {
	struct tables tables;
	struct json_column stacks, weights;
	struct strbuf name, process, weight_type;
	struct json_number pid, tid;
	bool is_raw; /* as Firefox writes it before it is processed */
};

struct firefox_reader {
	struct text_input *in;
	struct json_tree tree;
	struct tables shared;
	const char *unit; /* of the first thread with samples */
	uint64_t other_units;
	bool is_raw;
};

static void tables_release(struct tables *t)
{
	for (int i = 0; i < COLUMNS; i++)
		free(t->columns[i].list);
	free(t->strings);
}

static void read_strings(struct firefox_reader *r, struct tables *t, struct json_reader *j)
{
	struct strbuf text = STRBUF_INIT;

	if (json_begin(j, '['))
		while (json_next(j)) {
			json_read_string(j, &text);
			ALLOC_GROW(t->strings, t->nr_strings, t->strings_alloc);
			t->strings[t->nr_strings++] =
				strpool_add(&r->in->p->names, text.buf, text.len);
		}
	strbuf_release(&text);
}

static void read_table(struct tables *t, const char *table, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			int i = 0;

			while (i < COLUMNS &&
				(strcmp(table, columns[i].table) || strcmp(key, columns[i].member)))
				i++;
			if (i < COLUMNS)
				json_column_read(&t->columns[i], j);
			else
				json_skip(j);
		}
	strbuf_release(&member);
}

/* Reads the member KEY if it is one of the tables. */
static bool read_tables(
	struct firefox_reader *r, struct tables *t, const char *key, struct json_reader *j)
{
	if (!strcmp(key, "stringArray") || !strcmp(key, "stringTable")) {
		read_strings(r, t, j);
		return true;
	}
	for (int i = 0; i < COLUMNS; i++)
		if (!strcmp(key, columns[i].table)) {
			read_table(t, columns[i].table, j);
			return true;
		}
	return false;
}

static void read_samples(struct firefox_thread *t, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "stack"))
				json_column_read(&t->stacks, j);
			else if (!strcmp(key, "weight"))
				json_column_read(&t->weights, j);
			else if (!strcmp(key, "weightType"))
				json_read_string(j, &t->weight_type);
			else {
				t->is_raw |= !strcmp(key, "schema");
				json_skip(j);
			}
		}
	strbuf_release(&member);
}

/* Reads a number, which may be a string. */
static void read_id(struct json_reader *j, struct json_number *id)
{
	struct strbuf text = STRBUF_INIT;

	if (json_peek(j) != '"')
		json_read_number(j, id);
	else if (json_read_string(j, &text))
		parse_u64(text.buf, strcspn(text.buf, "."), 10, &id->whole);
	strbuf_release(&text);
}

static void read_members(struct firefox_reader *r, struct firefox_thread *t, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "samples"))
				read_samples(t, j);
			else if (!strcmp(key, "name"))
				json_read_string(j, &t->name);
			else if (!strcmp(key, "processName"))
				json_read_string(j, &t->process);
			else if (!strcmp(key, "pid"))
				read_id(j, &t->pid);
			else if (!strcmp(key, "tid"))
				read_id(j, &t->tid);
			else if (!read_tables(r, &t->tables, key, j))
				json_skip(j);
		}
	strbuf_release(&member);
}

/* Returns the text with the number that COLUMN has at I. */
static const char *text_at(struct firefox_reader *r, const struct tables *t,
	const struct json_column *column, uint32_t i, size_t *len)
{
	uint32_t string = i == JSON_NONE ? i : json_column_index(column, i, t->nr_strings);

	*len = 0;
	if (string == JSON_NONE)
		return "";
	*len = strpool_len(&r->in->p->names, t->strings[string]);
	return strpool_get(&r->in->p->names, t->strings[string]);
}

static uint32_t entry_of(struct firefox_reader *r, const struct tables *t, uint32_t at)
{
	const struct json_column *c = t->columns;
	uint32_t func = json_column_index(&c[FUNC], at, c[NAME].nr);
	uint32_t resource = func == JSON_NONE
				    ? func
				    : json_column_index(&c[RESOURCE], func, c[RESOURCE_NAME].nr);
	uint32_t line = json_column_index(&c[LINE], at, JSON_NONE);
	size_t name_len, module_len;
	/* the names of the profile may move */
	char *name = xstrdup(text_at(r, t, &c[NAME], func, &name_len));
	char *module = xstrdup(text_at(r, t, &c[RESOURCE_NAME], resource, &module_len));
	/* functions without a symbol are named by their addresses */
	struct module_frame frame = {.name = name,
		.name_len = strncmp(name, "0x", 2) ? strlen(name) : 0,
		.module = module,
		.module_len = strlen(module)};

	if (r->in->options->sources && line != JSON_NONE)
		frame.source = module_frame_source(r->in->p, module, frame.module_len, line);

	uint32_t entry = module_frame_entry(r->tree.stacks, &frame);

	free(name);
	free(module);
	return entry;
}

static void make_tree(struct firefox_reader *r, const struct tables *t)
{
	const struct json_column *c = t->columns;
	uint32_t *entries = xcalloc(c[FUNC].nr + 1, sizeof(*entries));

	for (size_t i = 0; i < c[FUNC].nr; i++)
		entries[i] = entry_of(r, t, (uint32_t)i);
	r->tree.nr = 0;
	for (size_t i = 0; i < c[FRAME].nr; i++) {
		uint32_t frame = json_column_index(&c[FRAME], i, c[FUNC].nr);

		ALLOC_GROW(r->tree.nodes, r->tree.nr, r->tree.alloc);
		r->tree.nodes[r->tree.nr++] =
			(struct json_node){json_column_index(&c[PREFIX], i, c[FRAME].nr),
				frame == JSON_NONE ? JSON_NONE : entries[frame]};
	}
	free(entries);
}

/* Returns the unit of the thread's weights, and what they are multiplied by. */
static const char *unit_of(const struct firefox_thread *t, double *factor)
{
	*factor = !strcmp(t->weight_type.buf, "tracing-ms") ? 1000 : 1;
	if (!t->weights.nr || !strcmp(t->weight_type.buf, "samples"))
		return "samples";
	return *factor > 1 ? "us" : !strcmp(t->weight_type.buf, "bytes") ? "bytes" : "samples";
}

static void add_samples(struct firefox_reader *r, const struct firefox_thread *t, uint32_t task)
{
	double factor, carry = 0;

	unit_of(t, &factor);
	for (size_t i = 0; i < t->stacks.nr; i++) {
		double weight = i < t->weights.nr ? t->weights.list[i] * factor : 1;
		uint32_t node = json_column_index(&t->stacks, i, r->tree.nr);

		if (isnan(t->stacks.list[i]) || !weight) /* the thread was not sampled */
			continue;
		if (!(weight > 0 && weight < (double)INT64_MAX)) {
			r->tree.wrong++;
			continue;
		}
		carry += weight;
		json_tree_add(&r->tree, node, task, (uint64_t)(carry + 1e-6));
		carry -= floor(carry + 1e-6);
	}
}

static uint32_t task_of(struct firefox_reader *r, const struct firefox_thread *t)
{
	const struct text_options *o = r->in->options;
	const struct strbuf *name = t->process.len && !o->threads ? &t->process : &t->name;
	struct task task = {t->pid.whole, t->tid.whole, name->buf, name->len};

	return stacks_task(r->tree.stacks, &task,
		o->threads     ? t->tid.whole
		: o->processes ? t->pid.whole
			       : 0);
}

static void read_thread(struct firefox_reader *r, struct json_reader *j)
{
	struct firefox_thread t = {
		.name = STRBUF_INIT, .process = STRBUF_INIT, .weight_type = STRBUF_INIT};
	double factor;
	const char *unit;
	uint32_t task;

	read_members(r, &t, j);
	unit = unit_of(&t, &factor);
	r->is_raw |= t.is_raw;
	if (t.stacks.nr && r->unit && strcmp(r->unit, unit)) {
		r->other_units++;
	} else if (t.stacks.nr && (task = task_of(r, &t)) != STACKS_OTHER_TASK) {
		r->unit = unit;
		make_tree(r, t.tables.columns[FRAME].nr ? &t.tables : &r->shared);
		add_samples(r, &t, task);
	}
	tables_release(&t.tables);
	free(t.stacks.list);
	free(t.weights.list);
	strbuf_release(&t.name);
	strbuf_release(&t.process);
	strbuf_release(&t.weight_type);
}

static int read_profile(struct firefox_reader *r, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct json_reader threads = {0};
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "threads"))
				threads = *j;
			if (strcmp(key, "shared") || !json_begin(j, '{')) {
				if (strcmp(key, "shared"))
					json_skip(j);
				continue;
			}
			while ((key = json_next_member(j, &member)))
				if (!read_tables(r, &r->shared, key, j))
					json_skip(j);
		}
	strbuf_release(&member);
	if (threads.at && json_begin(&threads, '['))
		while (json_next(&threads))
			read_thread(r, &threads);
	return json_check(j->bad ? j : &threads, r->in->notes);
}

int firefox_profile_read(struct text_input *in, struct json_reader object, struct stacks *stacks,
	struct expansion expansion)
{
	struct firefox_reader r = {.in = in};
	uint64_t wrong;
	int ret;

	r.tree = (struct json_tree){.in = in, .stacks = stacks, .expansion = expansion};
	ret = read_profile(&r, &object);
	tables_release(&r.shared);
	json_tree_release(&r.tree);
	wrong = r.tree.wrong;
	if (ret)
		return ret;
	if (r.is_raw)
		return fail(in->notes, "it is Firefox's profile before it is processed: load it in "
				       "profiler.firefox.com, and save it there\n");
	profile_set(&in->p->unit, r.unit ? r.unit : "samples");
	add_capped(&in->p->account.lost[LOST_UNREADABLE], wrong);
	if (r.other_units)
		strbuf_addf(in->notes,
			"threads left out: %" PRIu64 ", of a unit other than the first's\n",
			r.other_units);
	if (wrong)
		strbuf_addf(in->notes,
			"samples left out: %" PRIu64 ", of stacks that are not there\n", wrong);
	return wrong || r.other_units;
}
