/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label/nginx/nginx_find.h"
#include "nginx/nginx_workers.h"
#include "lib/pattern.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/user.h"
#include "lib/util.h"
#include "process/probe_point.h"
#include "process/task.h"
#include "record/request_timeline.h"
#include "view/args/arg_value.h"
#include "view/args/grid_args.h"
#include "view/args/process_args.h"
#include "view/distribution.h"
#include "view/grid.h"
#include "view/output_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
	LONGEST_S = 1000000,
	POLL_NS = 100000000,
	TURN_NS = 100000000, /* how long the probes are set in each turn, with --share */
	SLOWEST = 10,
	BAR = 40,
};

#define SHARE_MIN 0.1
#define SWEEP_NS 5000000000LL

static const char *const label_names[] = {
	"uri", "location", "host", "server", "upstream", "method", "status", "worker", NULL};
static const uint32_t label_keys[] = {NGINX_URI, NGINX_LOCATION, NGINX_HOST, NGINX_SERVER,
	NGINX_UPSTREAM, NGINX_METHOD, NGINX_KEY_STATUS, NGINX_KEY_WORKER};

enum latency_table {
	LATENCY_TOTAL,
	LATENCY_BY,
	LATENCY_HISTOGRAM,
	LATENCY_SLOWEST,
	LATENCY_TABLES
};
static const char *const table_names[] = {"total", "by", "histogram", "slowest", NULL};

/* The requests with one value of the label. */
struct latency_group {
	uint64_t value;
	struct distribution times; /* in ns */
};

struct latency_command {
	uint32_t pid;
	enum grid_format format;
	double seconds, least; /* seconds is 0 for no end, least for no minimum */
	double share;          /* per cent of the time in which requests are timed */
	bool phases;
	struct output_file timeline; /* its path is NULL if there is none */
	enum latency_table table;    /* only this one is shown; all if it is LATENCY_TABLES */
	uint32_t by;                 /* enum nginx_key, or NGINX_KEYS for none */
	struct nginx_workers workers;
	struct request_timing timing;
	struct request_results results;
	struct distribution total;
	struct latency_group *groups;
	size_t nr_groups, groups_alloc;
	uint64_t turn_ns; /* start of the last turn, with --share */
	int64_t swept_ns; /* when ended processes were last forgotten */
	bool root_ended;  /* the process that was given has ended */
	uint64_t by_clock;
	uint64_t undecided, others; /* requests with an unknown text: for --where, for --by */
	double elapsed, covered;    /* seconds of the recording, of the turns in it */
};

/* There is only one key, because the kernel selects by one label. */
static void add_where(const struct arg_option *option, const char *arg, void *to)
{
	struct request_results *results = to;
	size_t len = strcspn(arg, "=");
	uint32_t key = NGINX_KEYS;

	for (size_t i = 0; label_names[i]; i++)
		if (strlen(label_names[i]) == len && begins_with(arg, len, label_names[i]))
			key = label_keys[i];
	if (key == NGINX_KEYS || label_filter_add(&results->filter, arg))
		arg_invalid(option, arg, "KEY=PATTERN, such as uri='/api/*', with a KEY of --by");
	if (results->where != NGINX_KEYS && results->where != key)
		arg_error("--where %s: only one KEY can be given, with several patterns: "
			  "KEY=PATTERN,PATTERN",
			arg);
	results->where = key;
}

static void set_by(const struct arg_option *option, const char *arg, void *to)
{
	*(uint32_t *)to = label_keys[arg_word_index(option, arg)];
}

static void set_share(const struct arg_option *option, const char *arg, void *to)
{
	arg_percent(option, arg, to);
	if (*(double *)to < SHARE_MIN)
		arg_invalid(option, arg, "a percentage from 0.1 to 100");
}

#define AT(member) ARG_AT(struct latency_command, member)

static const struct arg_option options[] = {
	{"time", 't', "TIME", "Stop after TIME (5, 500ms, 2m), else with Ctrl-C", 1, arg_duration,
		AT(seconds), .max = LONGEST_S},
	{"by", 0, "uri|location|host|server|upstream|method|status|worker",
		"Also show each value of this label", 1, set_by, AT(by), .words = label_names},
	{"where", 0, "KEY=PATTERN",
		"Only requests whose KEY, one of --by, matches; several patterns: "
		"KEY=PATTERN,PATTERN",
		1, add_where, AT(results)},
	{"slowest", 0, "N", "List the N slowest requests (default: 10, at most 256)", 1, arg_count,
		AT(results.slowest), 0, TIMES_SLOWEST_MAX},
	{"min", 0, "TIME", "List only those that took TIME (20ms, 1.5) or longer", 1, arg_duration,
		AT(least), .max = LONGEST_S},
	{"share", 0, "PERCENT", "Measure only PERCENT of the time, to reduce overhead", 1,
		set_share, AT(share)},
	{"phases", 0, NULL, "Show where the slowest spent their time", 1, arg_flag, AT(phases)},
	{"table", 0, "NAME", "Show only this table: total, by, histogram or slowest", 1, arg_word,
		AT(table), .words = table_names},
	{"timeline", 0, "FILE", "Draw the slowest as a timeline (SVG) in FILE", 1, arg_text,
		AT(timeline.path), .use = "the name of a file"},
	{0},
};

static void settle(void *input)
{
	struct latency_command *o = input;

	if (o->timeline.path && output_file_is_stdout(&o->timeline))
		arg_error("invalid --timeline '-': use a file, as stdout has the tables");
	if (o->timeline.path && !o->results.slowest)
		arg_error("--timeline draws the slowest, of which --slowest=0 has none");
	if (o->table == LATENCY_BY && o->by == NGINX_KEYS)
		arg_error("--table by without --by: give both");
	if (o->format == GRID_CSV && o->table == LATENCY_TABLES) /* a CSV has only one table */
		o->table = o->by == NGINX_KEYS ? LATENCY_TOTAL : LATENCY_BY;
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = PROCESS_ARGS_WORDS,
	.about =
		"Measures how long the requests of a running nginx take, from the first byte until "
		"nginx frees them: their distribution, overall and by label, and the slowest ones."
		"\vExit status: 0 all requests were counted; 1 some were not, or there were none; "
		"2 "
		"failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct latency_command, pid)},
		{&grid_args, offsetof(struct latency_command, format)}, {0}},
};

/* ---- recording ---- */

static int open_workers(struct latency_command *c, struct strbuf *err)
{
	const char *names[TIMES_PROBES + 1] = {"ngx_cached_time"};

	for (int i = 0; i < TIMES_PROBES; i++)
		names[i + 1] = times_functions[i];
	return nginx_workers_open(&c->workers, c->pid, names, ARRAY_LEN(names), err);
}

static int begin(struct latency_command *c, struct strbuf *err)
{
	const struct nginx_worker *w = nginx_workers_verified(&c->workers);
	struct request_timing_begin b = {.pid = c->pid,
		.only = w->pid == c->pid,
		.layout = w->layout,
		.settings = {.pid_ns = task_namespace(),
			.by = c->by,
			.where = c->results.where,
			.slowest = (uint32_t)c->results.slowest,
			.phases = c->phases,
			.least_ns = (uint64_t)(c->least * 1e9),
			.cached_time = target_symbol(nginx_file(&w->target), "ngx_cached_time")}};
	const struct process *p = processes_known(&c->workers.ps, w->pid);
	struct probe_point point = {0};

	for (int i = 0; i < (c->phases ? TIMES_PROBES : TIMES_HEAD); i++) {
		uint64_t at = target_symbol(nginx_file(&w->target), times_functions[i]);

		if (!p || !probe_point_find(&c->workers.ps, p, &w->target.memory, at,
				  PROBE_ARGUMENTS, &point))
			return fail(err,
				"cannot find the function '%s' of nginx in process %" PRIu32
				": the process has ended, or even the symbols that nginx exports "
				"for its modules were stripped",
				times_functions[i], w->pid);
		b.offset[i] = point.offset;
	}
	b.path = point.path;
	return request_timing_begin(&c->timing, &b, (int64_t)(c->seconds * 1e9), err);
}

/*
 * With --share, removes the probes TURN_NS after they were set, and sets them again later, so that
 * turns take this share of the time. Returns when the next change is due.
 */
static uint64_t take_turns(struct latency_command *c, struct strbuf *err)
{
	struct request_timing *t = &c->timing;
	uint64_t now = (uint64_t)monotonic_ns(), end = t->control.from_ns + TURN_NS,
		 next = c->turn_ns + (uint64_t)(TURN_NS * 100.0 / c->share);

	if (c->share >= 100)
		return UINT64_MAX;
	if (t->is_on && now >= end)
		request_timing_pause(t);
	if (t->is_on || now < next)
		return t->is_on ? end : next;
	c->turn_ns = now;
	return request_timing_resume(t, err) ? next : t->control.from_ns + TURN_NS;
}

/* Whether nginx still runs. START is the start time of the process that was given. */
static bool nginx_lives(struct latency_command *c, uint64_t start)
{
	if (!c->root_ended && !task_lives(c->pid, start)) {
		c->root_ended = true;
		request_timing_root_ended(&c->timing);
	}
	return !c->root_ended || request_timing_any_lives(&c->timing, c->pid);
}

static void sweep(struct latency_command *c)
{
	int64_t now = monotonic_ns();

	if (now - c->swept_ns < SWEEP_NS)
		return;
	request_timing_forget_ended(&c->timing);
	c->swept_ns = now;
}

/*
 * Returns when the time is up, after a signal, or when nginx has ended. Returns -1 and sets ERR if
 * it cannot go on; the counts until then are available.
 */
static int watch(struct latency_command *c, struct strbuf *err)
{
	uint64_t start = task_start(c->pid, c->pid), began = c->timing.control.from_ns, now;

	c->turn_ns = began;
	while (!program_is_stopped() && (uint64_t)monotonic_ns() < c->timing.end_ns) {
		struct timespec time = {0, POLL_NS};
		uint64_t due;

		request_results_take(&c->results, &c->timing);
		sweep(c);
		if (!nginx_lives(c, start))
			break;
		due = take_turns(c, err);
		if (err->len)
			break;
		due = due < c->timing.end_ns ? due : c->timing.end_ns;
		now = (uint64_t)monotonic_ns();
		if (due < now + POLL_NS)
			time.tv_nsec = due > now ? (long)(due - now) : 0;
		nanosleep(&time, NULL);
	}
	if (err->len && !nginx_lives(c, start))
		strbuf_reset(err);
	request_timing_pause(&c->timing);
	now = (uint64_t)monotonic_ns();
	c->covered = (double)c->timing.covered_ns / 1e9;
	c->elapsed = (double)((now < c->timing.end_ns ? now : c->timing.end_ns) - began) / 1e9;
	request_results_take(&c->results, &c->timing);
	request_results_sort(&c->results);
	return err->len ? -1 : 0;
}

static struct distribution *group_of(struct latency_command *c, struct table *known, uint64_t value)
{
	bool is_new;
	uint32_t *number = table_put(known, value, 0, &is_new);

	if (is_new) {
		ALLOC_GROW(c->groups, c->nr_groups, c->groups_alloc);
		c->groups[c->nr_groups++] = (struct latency_group){.value = value};
		*number = (uint32_t)c->nr_groups;
	}
	return &c->groups[*number - 1].times;
}

static int compare_groups(const void *a, const void *b)
{
	const struct latency_group *x = a, *y = b;

	if (x->times.sum != y->times.sum)
		return compare_u64(y->times.sum, x->times.sum);
	return compare_u64(x->value, y->value);
}

/* Adds a row to the group of its label. Rows whose text is not known are in one group. */
static void add_to_group(struct latency_command *c, struct table *known,
	const struct times_key *key, const struct times_row *row)
{
	bool has_text = request_results_has_value(&c->results, c->by, key->value);

	if (!has_text)
		c->others += row->count;
	distribution_add(group_of(c, known, has_text ? key->value : TIMES_OTHER_VALUE), row->count,
		row->sum_ns, row->min_ns, row->max_ns);
}

static void read_rows(struct latency_command *c)
{
	struct times_key key, next;
	struct times_row row;
	struct table known;

	table_init(&known);
	for (bool any = false; request_timing_next(&c->timing, any ? &key : NULL, &next, &row);
		any = true) {
		enum request_match match = request_results_match(&c->results, next.where);

		key = next;
		if (match == REQUEST_IS_UNDECIDED)
			c->undecided += row.count;
		if (match != REQUEST_MATCHES)
			continue;
		c->by_clock += row.by_clock;
		distribution_add(&c->total, row.count, row.sum_ns, row.min_ns, row.max_ns);
		if (c->by != NGINX_KEYS)
			add_to_group(c, &known, &key, &row);
	}
	table_release(&known);
	if (c->nr_groups)
		qsort(c->groups, c->nr_groups, sizeof(*c->groups), compare_groups);
}

/* ---- tables ---- */

static void add_ms(struct grid *l, uint64_t ns)
{
	grid_addf(l, (double)ns / 1e6, 3);
}

#define TIME_COLUMNS                                                                               \
	"count", "per_second", "mean_ms", "min_ms", "p50_ms", "p90_ms", "p99_ms", "p99.9_ms",      \
		"max_ms"

static const char *const total_columns[] = {TIME_COLUMNS};

static void add_times(const struct latency_command *c, struct grid *l, const struct distribution *d)
{
	static const double shares[] = {0.5, 0.9, 0.99, 0.999};

	grid_addu(l, d->count);
	grid_addf(l, c->covered > 0 ? (double)d->count / c->covered : 0, 1);
	grid_addf(l, distribution_mean(d) / 1e6, 3);
	add_ms(l, d->min);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		add_ms(l, distribution_share(d, shares[i]));
	add_ms(l, d->max);
}

static void list_total(const struct latency_command *c, struct grid *l)
{
	grid_init(l, total_columns, ARRAY_LEN(total_columns));
	add_times(c, l, &c->total);
}

/* The label's column is the last one, because texts may be long. */
static const char *const by_columns[][10] = {{TIME_COLUMNS, "uri"}, {TIME_COLUMNS, "location"},
	{TIME_COLUMNS, "host"}, {TIME_COLUMNS, "server"}, {TIME_COLUMNS, "upstream"},
	{TIME_COLUMNS, "method"}, {TIME_COLUMNS, "status"}, {TIME_COLUMNS, "worker"}};

static void list_by(const struct latency_command *c, struct grid *l)
{
	size_t label = 0;

	while (label_keys[label] != c->by)
		label++;
	grid_init(l, by_columns[label], ARRAY_LEN(by_columns[label]));
	for (size_t i = 0; i < c->nr_groups; i++) {
		struct strbuf value = STRBUF_INIT;

		add_times(c, l, &c->groups[i].times);
		if (!request_results_add_value(&c->results, c->by, c->groups[i].value, &value))
			strbuf_adds(&value, "[other]");
		grid_add(l, value.buf, value.len);
		strbuf_release(&value);
	}
}

static const char *const histogram_columns[] = {"from_ms", "to_ms", "count", "requests"};

/* Merges the octaves below a microsecond. They contain only times by nginx's clock, as 0 ms. */
static size_t merge_shortest(struct distribution_octave *octaves, size_t nr)
{
	size_t first = 0;

	while (first + 1 < nr && octaves[first + 1].to <= 1024) {
		octaves[first + 1].count += octaves[first].count;
		octaves[++first].from = 0;
	}
	memmove(octaves, octaves + first, (nr - first) * sizeof(*octaves));
	return nr - first;
}

static void list_histogram(const struct latency_command *c, struct grid *l)
{
	struct distribution_octave octaves[64];
	size_t nr = merge_shortest(octaves, distribution_octaves(&c->total, octaves));
	bool is_drawn = c->format == GRID_TEXT;
	uint64_t most = 0;

	grid_init(l, histogram_columns, ARRAY_LEN(histogram_columns) - !is_drawn);
	for (size_t i = 0; i < nr; i++)
		most = octaves[i].count > most ? octaves[i].count : most;
	for (size_t i = 0; i < nr; i++) {
		struct strbuf bar = STRBUF_INIT;

		add_ms(l, octaves[i].from);
		add_ms(l, octaves[i].to);
		grid_addu(l, octaves[i].count);
		distribution_bar(&bar, octaves[i].count, most, BAR);
		if (is_drawn)
			grid_add(l, bar.len ? bar.buf : " ", bar.len ? bar.len : 1);
		strbuf_release(&bar);
	}
}

/* ---- the slowest ---- */

static const char *const slow_columns[] = {"time_ms", "start", "log_ms", "head_ms", "content_ms",
	"answer_ms", "busy_ms", "worker", "client", "method", "status", "sent", "location",
	"upstream", "peer", "connect", "header", "response", "state", "host", "uri"};

enum { FIRST_PHASE = 3, NR_PHASES = 4 };

static const char *const slow_columns_without_phases[ARRAY_LEN(slow_columns) - NR_PHASES] = {
	"time_ms", "start", "log_ms", "worker", "client", "method", "status", "sent", "location",
	"upstream", "peer", "connect", "header", "response", "state", "host", "uri"};

static void add_start(const struct latency_command *c, struct grid *l, int64_t ms)
{
	time_t seconds = ms / 1000;
	char text[32] = "";
	struct tm tm;

	if (c->format != GRID_TEXT) {
		grid_addf(l, (double)ms / 1e3, 3);
		return;
	}
	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03d", (int)(ms % 1000));
	grid_adds(l, text);
}

/* Adds the time of a phase since the request began. */
static void add_phase(struct grid *l, const struct times_request *q, uint64_t ns)
{
	if (ns)
		add_ms(l, ns - (q->end_ns - q->request_ns));
	else
		grid_add_empty(l);
}

static void add_label(struct grid *l, const struct nginx_text *t)
{
	struct strbuf out = STRBUF_INIT;

	request_results_add_text(&out, t);
	grid_add(l, out.buf, out.len);
	strbuf_release(&out);
}

static void add_tries(struct grid *l, const struct times_request *q)
{
	for (int i = 0; i < TIMES_TRY_COLUMNS; i++) {
		struct strbuf out = STRBUF_INIT;

		request_results_add_tries(&out, q, (enum times_try_column)i);
		grid_add(l, out.buf, out.len);
		strbuf_release(&out);
	}
}

static void add_slow(const struct latency_command *c, struct grid *l, const struct times_request *q)
{
	add_ms(l, q->request_ns);
	add_start(c, l, q->start_ms);
	if (q->log_ms < 0)
		grid_add_empty(l);
	else
		grid_addu(l, (uint64_t)q->log_ms);
	if (c->phases) {
		add_phase(l, q, q->head_ns);
		add_phase(l, q, q->content_ns);
		add_phase(l, q, q->answer_ns);
		if (q->by_clock)
			grid_add_empty(l);
		else
			add_ms(l, q->busy_ns);
	}
	grid_addu(l, q->worker);
	add_label(l, &q->text[NGINX_CLIENT]);
	add_label(l, &q->text[NGINX_METHOD]);
	grid_addu(l, q->status);
	grid_addu(l, q->sent > 0 ? (uint64_t)q->sent : 0);
	add_label(l, &q->text[NGINX_LOCATION]);
	add_label(l, &q->text[NGINX_UPSTREAM]);
	add_tries(l, q);
	grid_adds(l, q->by_clock ? "began before" : NULL);
	add_label(l, &q->text[NGINX_HOST]);
	add_label(l, &q->text[NGINX_URI]);
}

static void list_slowest(const struct latency_command *c, struct grid *l)
{
	if (c->phases)
		grid_init(l, slow_columns, ARRAY_LEN(slow_columns));
	else
		grid_init(l, slow_columns_without_phases, ARRAY_LEN(slow_columns_without_phases));
	for (size_t i = 0; i < c->results.nr_slow; i++)
		add_slow(c, l, &c->results.slow[i]);
}

/* ---- output ---- */

typedef void list_table(const struct latency_command *c, struct grid *l);

static list_table *const lists[LATENCY_TABLES] = {
	list_total, list_by, list_histogram, list_slowest};

static bool is_shown(const struct latency_command *c, enum latency_table i)
{
	if (c->table != LATENCY_TABLES)
		return i == c->table;
	return (i != LATENCY_BY || c->by != NGINX_KEYS) &&
	       (i != LATENCY_SLOWEST || c->results.slowest);
}

static void print_tables(const struct latency_command *c)
{
	struct strbuf out = STRBUF_INIT;
	bool any = false, json = c->format == GRID_JSON;

	for (enum latency_table i = 0; i < LATENCY_TABLES; i++) {
		struct grid l;

		if (!is_shown(c, i))
			continue;
		if (json)
			strbuf_addf(&out, "%s\"%s\": ", any ? ",\n" : "{", table_names[i]);
		else if (any)
			strbuf_addch(&out, '\n');
		lists[i](c, &l);
		grid_write(&l, c->format, &out);
		grid_release(&l);
		any = true;
	}
	strbuf_adds(&out, json ? "}\n" : "");
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
}

/* Says what is missing in the tables. Returns false if nothing is missing. */
static bool say_losses(const struct latency_command *c)
{
	struct times_losses lost = request_timing_lost(&c->timing);

	if (lost.requests)
		program_say("%" PRIu64 " more requests were not counted: their start is not known, "
			    "or the table of times is full",
			lost.requests);
	if (c->undecided)
		program_say("%" PRIu64 " more requests were not counted: it is not known whether "
			    "they match, as there are more than %d different texts, or they ended "
			    "faster than they could be read",
			c->undecided, TIMES_VALUES_MAX);
	if (lost.slow)
		program_say("%" PRIu64 " requests are missing among the slowest: they ended faster "
			    "than they could be read",
			lost.slow);
	if (c->others)
		program_say("%" PRIu64 " requests are in the row [other]: there are more than %d "
			    "different texts, or they ended faster than they could be read",
			c->others, TIMES_VALUES_MAX);
	return lost.requests || lost.slow || c->others || c->undecided;
}

/* Writes the timeline, if it was requested. */
static int draw(struct latency_command *c)
{
	FILE *out = c->timeline.path ? output_file_begin(&c->timeline) : NULL;
	struct strbuf text = STRBUF_INIT;
	struct timeline t;

	if (!out)
		return c->timeline.path ? -1 : 0;
	request_timeline_fill(&t, &c->results);
	timeline_write(&t, &text);
	timeline_release(&t);
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return output_file_end(&c->timeline, true);
}

static void say_rate(const struct latency_command *c)
{
	double rate = c->covered > 0 ? (double)c->total.count / c->covered : 0;

	if (c->share < 100)
		program_say("%" PRIu64 " requests in %.1f s measured (of %.1f s): %.1f per second",
			c->total.count, c->covered, c->elapsed, rate);
	else
		program_say("%" PRIu64 " requests in %.1f s: %.1f per second", c->total.count,
			c->covered, rate);
}

static int print(struct latency_command *c)
{
	bool partial, drawn = !draw(c);

	print_tables(c);
	if (program_close(stdout, "stdout") || !drawn)
		return EXIT_FAILED;
	say_rate(c);
	if (c->by_clock)
		program_say("%" PRIu64 " of them began before %s: their times are by nginx's "
			    "clock, in whole ms",
			c->by_clock, c->share < 100 ? "the probes were set" : "the recording");
	partial = say_losses(c);
	if (c->total.count)
		return partial ? EXIT_PARTIAL : EXIT_OK;
	program_say("no request%s ended in this time",
		c->results.where == NGINX_KEYS ? "" : " that matches --where");
	return EXIT_PARTIAL;
}

static void release(struct latency_command *c)
{
	for (size_t i = 0; i < c->nr_groups; i++)
		distribution_release(&c->groups[i].times);
	free(c->groups);
	distribution_release(&c->total);
	request_results_release(&c->results);
	request_timing_release(&c->timing);
	nginx_workers_close(&c->workers);
}

/* Checks the file of the timeline, ARG, for user_check. */
static int check_timeline(const void *arg, struct strbuf *err)
{
	(void)err; /* output_file_check prints its messages */
	return output_file_check(arg);
}

/* Prints the results as the user who called sudo. */
static int print_as_caller(struct latency_command *c, struct strbuf *err)
{
	return user_drop_privileges(err) ? EXIT_FAILED : print(c);
}

int main(int argc, char **argv)
{
	struct latency_command c = {.by = NGINX_KEYS, .table = LATENCY_TABLES, .share = 100};
	struct strbuf err = STRBUF_INIT;
	int ret = EXIT_FAILED;

	program_init();
	request_results_init(&c.results);
	c.results.slowest = SLOWEST;
	arg_parse(&program, argc, argv, &c);
	program_catch_signals();
	if (c.timeline.path && user_check(check_timeline, &c.timeline, &err)) {
		program_say_lines(&err);
		return EXIT_FAILED;
	}
	if (!open_workers(&c, &err) && !begin(&c, &err)) {
		bool is_whole = !watch(&c, &err);

		read_rows(&c);
		ret = print_as_caller(&c, &err);
		if (!is_whole && ret == EXIT_OK)
			ret = EXIT_PARTIAL;
	}
	program_say_lines(&err);
	strbuf_release(&err);
	release(&c);
	return program_end(ret);
}
