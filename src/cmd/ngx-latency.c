/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label/nginx/nginx_find.h"
#include "nginx/nginx_workers.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "process/probe_point.h"
#include "process/task.h"
#include "tool/requests/request_load.h"
#include "tool/requests/request_tables.h"
#include "tool/requests/request_timeline.h"
#include "tool/requests/request_watch.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"
#include "view/output_file.h"
#include "view/timeline/timeline_svg.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LONGEST_S = 1000000, SLOWEST = 10 };

#define SHARE_MIN 0.1

struct latency_command {
	uint32_t pid;
	enum grid_format format;
	double seconds, least; /* seconds is 0 for no end, least for no minimum */
	bool phases;
	struct output_file timeline; /* its path is NULL if there is none */
	enum request_table table;    /* only this one is shown; all if it is REQUEST_TABLES */
	struct nginx_workers workers;
	struct request_timing timing;
	struct request_results results;
	struct request_counts counts;
	struct request_watch watch;
	struct request_load *load; /* of the workers */
};

/* There is only one key, because the kernel selects by one label. */
static void add_where(const struct arg_option *option, const char *arg, void *to)
{
	struct request_results *results = to;
	size_t len = strcspn(arg, "=");
	uint32_t key = NGINX_KEYS;

	for (size_t i = 0; request_label_names[i]; i++)
		if (strlen(request_label_names[i]) == len &&
			begins_with(arg, len, request_label_names[i]))
			key = request_label_keys[i];
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
	*(uint32_t *)to = request_label_keys[arg_word_index(option, arg)];
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
		"Also show each value of this label", 1, set_by, AT(counts.by),
		.words = request_label_names},
	{"where", 0, "KEY=PATTERN",
		"Only requests whose KEY, one of --by, matches; several patterns: "
		"KEY=PATTERN,PATTERN",
		1, add_where, AT(results)},
	{"slowest", 0, "N", "List the N slowest requests (default: 10, at most 256)", 1, arg_count,
		AT(results.slowest), 0, TIMES_SLOWEST_MAX},
	{"min", 0, "TIME", "List only those that took TIME (20ms, 1.5) or longer", 1, arg_duration,
		AT(least), .max = LONGEST_S},
	{"share", 0, "PERCENT", "Measure only PERCENT of the time, to reduce overhead", 1,
		set_share, AT(watch.share)},
	{"phases", 0, NULL, "Show where the slowest spent their time", 1, arg_flag, AT(phases)},
	{"table", 0, "NAME", "Show only this table: total, by, histogram or slowest", 1, arg_word,
		AT(table), .words = request_table_names},
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
	if (o->table == REQUEST_BY && o->counts.by == NGINX_KEYS)
		arg_error("--table by without --by: give both");
	if (o->format == GRID_CSV && o->table == REQUEST_TABLES) /* a CSV has only one table */
		o->table = o->counts.by == NGINX_KEYS ? REQUEST_TOTAL : REQUEST_BY;
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = PROCESS_ARGS_WORDS,
	.about =
		"Measures how long the requests of a running nginx take, from the first byte until "
		"nginx frees them: their distribution, overall and by label, and the slowest ones."
		"\vExit status: 0 all requests were counted; 1 some were not, or there were none; "
		"2 failed; 64 wrong usage.",
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
			.by = c->counts.by,
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

/* ---- output ---- */

/* Says what is missing in the tables. Returns false if nothing is missing. */
static bool say_losses(const struct latency_command *c)
{
	struct times_losses lost = request_timing_lost(&c->timing);

	if (lost.requests)
		program_say("%" PRIu64 " more requests were not counted: their start is not known, "
			    "or the table of times is full",
			lost.requests);
	if (c->counts.undecided)
		program_say("%" PRIu64 " more requests were not counted: it is not known whether "
			    "they match, as there are more than %d different texts, or they ended "
			    "faster than they could be read",
			c->counts.undecided, TIMES_VALUES_MAX);
	if (lost.slow)
		program_say("%" PRIu64 " requests are missing among the slowest: they ended faster "
			    "than they could be read",
			lost.slow);
	if (c->counts.others)
		program_say("%" PRIu64 " requests are in the row [other]: there are more than %d "
			    "different texts, or they ended faster than they could be read",
			c->counts.others, TIMES_VALUES_MAX);
	return lost.requests || lost.slow || c->counts.others || c->counts.undecided;
}

/* Writes the timeline, if it was requested. */
static int draw(struct latency_command *c)
{
	FILE *out = c->timeline.path ? output_file_begin(&c->timeline) : NULL;
	struct timeline t;

	if (!out)
		return c->timeline.path ? -1 : 0;
	request_timeline_fill(&t, &c->results);
	view_timeline(&t, out, NULL);
	timeline_release(&t);
	return output_file_end(&c->timeline, true);
}

static void say_rate(const struct latency_command *c)
{
	double rate = c->watch.covered > 0 ? (double)c->counts.total.count / c->watch.covered : 0;

	if (c->watch.share < 100)
		program_say("%" PRIu64 " requests in %.1f s measured (of %.1f s): %.1f per second",
			c->counts.total.count, c->watch.covered, c->watch.elapsed, rate);
	else
		program_say("%" PRIu64 " requests in %.1f s: %.1f per second",
			c->counts.total.count, c->watch.covered, rate);
}

static void begin_load(struct latency_command *c)
{
	c->load = xcalloc(c->workers.nr, sizeof(*c->load));
	for (size_t i = 0; i < c->workers.nr; i++)
		c->load[i] = (struct request_load){
			c->workers.list[i].pid, request_load_busy(c->workers.list[i].pid)};
}

/* A worker that has ended, and has no times any more, counts as idle. */
static void end_load(struct latency_command *c)
{
	for (size_t i = 0; i < c->workers.nr; i++) {
		uint64_t now = request_load_busy(c->load[i].pid), then = c->load[i].busy_ns;

		c->load[i].busy_ns = now > then ? now - then : 0;
	}
}

static void say_load(const struct latency_command *c)
{
	struct strbuf line = STRBUF_INIT;

	request_load_say(c->load, c->workers.nr, (uint64_t)(c->watch.elapsed * 1e9), &line);
	program_say_rest(&line);
}

static int print(struct latency_command *c)
{
	struct request_tables tables = {
		&c->counts, &c->results, c->format, c->phases, c->watch.covered};
	bool partial, drawn = !draw(c);

	request_tables_print(&tables, c->table);
	if (program_close(stdout, "stdout") || !drawn)
		return EXIT_FAILED;
	say_rate(c);
	if (c->counts.by_clock)
		program_say("%" PRIu64 " of them began before %s: their times are by nginx's "
			    "clock, in whole ms",
			c->counts.by_clock,
			c->watch.share < 100 ? "the probes were set" : "the recording");
	say_load(c);
	partial = say_losses(c);
	if (c->counts.total.count)
		return partial ? EXIT_PARTIAL : EXIT_OK;
	program_say("no request%s ended in this time",
		c->results.where == NGINX_KEYS ? "" : " that matches --where");
	return EXIT_PARTIAL;
}

static void release(struct latency_command *c)
{
	request_counts_release(&c->counts);
	request_results_release(&c->results);
	request_timing_release(&c->timing);
	free(c->load);
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
	struct latency_command c = {
		.counts.by = NGINX_KEYS, .table = REQUEST_TABLES, .watch.share = 100};
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
		c.watch.pid = c.pid;
		c.watch.timing = &c.timing;
		c.watch.results = &c.results;
		begin_load(&c);
		bool is_whole = !request_watch(&c.watch, &err);

		end_load(&c);
		request_counts_read(&c.counts, &c.timing, &c.results);
		ret = print_as_caller(&c, &err);
		if (!is_whole && ret == EXIT_OK)
			ret = EXIT_PARTIAL;
	}
	program_say_rest(&err);
	release(&c);
	return program_end(ret);
}
