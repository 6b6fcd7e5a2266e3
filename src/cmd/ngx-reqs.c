/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx/nginx_serving.h"
#include "lib/program.h"
#include "lib/repeat.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/halt.h"
#include "process/reader.h"
#include "process/task.h"
#include "view/args/arg_value.h"
#include "view/args/grid_args.h"
#include "view/args/process_args.h"
#include "view/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
	LONGEST_S = 1000000,
	STOP_MAX_S = 1,
	WATCH_S = 1,
	RENEW_STEP_NS = 20000000,
};
#define RENEW_NS 2000000000LL

/* Counters of all workers together. */
enum server_counter {
	ACCEPTED,
	HANDLED,
	REQUESTS,
	ACTIVE,
	READING,
	WRITING,
	WAITING,
	SERVER_COUNTERS,
};

/*
 * Each symbol points to its counter in memory that the workers share (ngx_event.h,
 * ngx_connection.h).
 */
static const char *const counters[SERVER_COUNTERS] = {
	"ngx_stat_accepted",
	"ngx_stat_handled",
	"ngx_stat_requests",
	"ngx_stat_active",
	"ngx_stat_reading",
	"ngx_stat_writing",
	"ngx_stat_waiting",
};

struct reqs_command {
	uint32_t pid;
	enum grid_format format;
	bool connections;      /* in CSV: the connections of workers instead of requests */
	double watch, seconds; /* watch is 0 for a single round, seconds for no end */
	double stop;           /* seconds, or 0 if workers are not stopped */
	struct nginx_workers workers;
	struct nginx_modules *modules; /* one per worker, as they may differ after a reload */
	struct nginx_serving *serving; /* one per worker */
	struct repeat rounds;
	int64_t read_ns; /* when this round began, monotonic */
	int64_t now_ms;  /* when this round began, since 1970 */
	struct server_reading {
		uint64_t value[SERVER_COUNTERS];
		bool is_known[SERVER_COUNTERS];
		int64_t at_ns;
	} now, before;      /* at_ns is 0 if there was no reading */
	bool partial, any;  /* a round was printed */
	int64_t stopped_ns; /* longest time for which a worker was stopped */
};

#define AT(member) ARG_AT(struct reqs_command, member)

static void set_watch(const struct arg_option *option, const char *arg, void *to)
{
	if (arg)
		arg_duration(option, arg, to);
	else
		*(double *)to = WATCH_S;
}

static const struct arg_option options[] = {
	{"watch", 'w', "TIME", "Repeat every TIME (1, 500ms), by default 1 s, until Ctrl-C", 1,
		set_watch, AT(watch), .max = LONGEST_S, .is_optional = true},
	{"time", 't', "TIME", "With --watch: stop after TIME (5, 2m, 1h)", 1, arg_duration,
		AT(seconds), .max = LONGEST_S},
	{"stop", 's', "TIME", "Stop each worker while it is read, for TIME (5ms) at most", 1,
		arg_duration, AT(stop), .max = STOP_MAX_S},
	{"connections", 0, NULL, "With --csv: the connections of workers instead of requests", 1,
		arg_flag, AT(connections)},
	{0},
};

static void refuse_words(void *input, const struct arg_words *words)
{
	struct reqs_command *o = input;

	if (o->watch > 0)
		arg_error(
			"unexpected argument '%s': give the time as --watch=TIME", words->list[0]);
	process_args.take_words(&o->pid, words);
}

static void settle(void *input)
{
	const struct reqs_command *o = input;

	if (o->seconds > 0 && o->watch <= 0)
		arg_error("--time without --watch: give both, or none");
	if (o->connections && o->format != GRID_CSV)
		arg_error("--connections without --csv: both tables are shown");
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.take_words = refuse_words,
	.words = PROCESS_ARGS_WORDS,
	.about = "Lists the requests that a running nginx serves now, the oldest first, and the "
		 "connections of its workers. They are stopped only with --stop.\v"
		 "Exit status: 0 all rows; 1 some changed while they were read; 2 failed; 64 wrong "
		 "usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct reqs_command, pid)},
		{&grid_args, offsetof(struct reqs_command, format)}, {0}},
};

/* ---- reading ---- */

static void read_counters(struct reqs_command *c)
{
	const struct nginx_worker *w = &c->workers.list[0];

	c->before = c->now;
	c->now = (struct server_reading){.at_ns = monotonic_ns()};
	for (int i = 0; i < SERVER_COUNTERS; i++) {
		uint64_t at = nginx_worker_word(w, counters[i], 0);

		c->now.is_known[i] = at && memory_pointer(&w->target.memory, at, &c->now.value[i]);
	}
}

/* The memory of a worker, which is stopped until the time is over. */
struct stopped_worker {
	struct memory memory; /* the worker's memory, whether it is stopped or not */
	struct halt halt;
	int64_t until_ns;
	int64_t took_ns; /* 0 while it is stopped */
};

static void go_on(struct stopped_worker *s)
{
	if (!s->took_ns)
		s->took_ns = halt_end(&s->halt);
}

static bool read_stopped(void *context, uint64_t address, void *to, size_t len)
{
	struct stopped_worker *s = context;

	if (monotonic_ns() >= s->until_ns)
		go_on(s);
	return memory_read(&s->memory, address, to, len);
}

static bool scattered_stopped(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	struct stopped_worker *s = context;

	if (monotonic_ns() >= s->until_ns)
		go_on(s);
	return memory_scattered(&s->memory, addresses, nr, size, to);
}

static void read_worker_stopped(struct reqs_command *c, size_t worker)
{
	const struct nginx_worker *w = &c->workers.list[worker];
	struct nginx_worker copy = *w;
	struct stopped_worker s = {
		.memory = w->target.memory, .until_ns = monotonic_ns() + (int64_t)(c->stop * 1e9)};
	bool is_traceable = true;

	copy.target.memory = (struct memory){
		.read = read_stopped, .scattered = scattered_stopped, .context = &s};
	if (!halt_begin(&s.halt, w->pid, s.until_ns)) {
		is_traceable = monotonic_ns() >= s.until_ns || !task_lives(w->pid, w->started);
		go_on(&s);
	}
	nginx_serving_read(&copy, &c->modules[worker], &c->serving[worker]);
	if (!is_traceable) {
		program_say("worker %" PRIu32 " cannot be stopped: another program, such as gdb or "
			    "strace, traces it, or you may not; it was read while it ran",
			w->pid);
		c->partial = true;
	} else if (s.took_ns || monotonic_ns() >= s.until_ns) {
		program_say("worker %" PRIu32 " ran on before all of it was read: give --stop a "
			    "longer time, at most 1s",
			w->pid);
		c->partial = true;
	}
	go_on(&s);
	if (s.took_ns > c->stopped_ns)
		c->stopped_ns = s.took_ns;
}

static void release_round(struct reqs_command *c)
{
	for (size_t i = 0; c->serving && i < c->workers.nr; i++)
		nginx_serving_release(&c->serving[i]);
	free(c->serving);
	c->serving = NULL;
}

static void close_workers(struct reqs_command *c)
{
	release_round(c);
	for (size_t i = 0; c->modules && i < c->workers.nr; i++)
		nginx_modules_release(&c->modules[i]);
	free(c->modules);
	c->modules = NULL;
	nginx_workers_close(&c->workers);
}

static int open_workers(struct reqs_command *c, struct strbuf *err)
{
	static const char *const serving[] = {NGINX_SERVING_SYMBOLS};
	const char *names[SERVER_COUNTERS + ARRAY_LEN(serving)];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		names[i] = i < SERVER_COUNTERS ? counters[i] : serving[i - SERVER_COUNTERS];
	if (nginx_workers_open(&c->workers, c->pid, names, ARRAY_LEN(names), err))
		return -1;
	c->modules = xcalloc(c->workers.nr, sizeof(*c->modules));
	for (size_t i = 0; i < c->workers.nr; i++) {
		const struct nginx_worker *w = &c->workers.list[i];

		any |= nginx_modules_read(&w->layout, &w->target, &c->modules[i]);
	}
	return any ? 0 : nginx_modules_refuse(c->workers.list[0].pid, err);
}

static void read_round(struct reqs_command *c)
{
	release_round(c);
	reader_forgive();
	c->serving = xcalloc(c->workers.nr, sizeof(*c->serving));
	c->read_ns = monotonic_ns();
	c->now_ms = realtime_ms();
	read_counters(c);
	for (size_t i = 0; i < c->workers.nr; i++)
		if (c->stop > 0)
			read_worker_stopped(c, i);
		else
			nginx_serving_read(&c->workers.list[i], &c->modules[i], &c->serving[i]);
}

/* ---- requests ---- */

static const char *const request_columns[] = {"time", "worker", "age", "client", "method", "status",
	"phase", "handler", "upstream", "peer", "sent", "pool", "timeout", "waits_for", "state",
	"host", "uri"};

struct request_row {
	const struct nginx_worker *worker;
	const struct nginx_serving_request *request;
};

static int compare_age(const void *a, const void *b)
{
	const struct request_row *x = a, *y = b;

	if (x->request->request.start_ms != y->request->request.start_ms)
		return x->request->request.start_ms < y->request->request.start_ms ? -1 : 1;
	return compare_u64(x->request->request.address, y->request->request.address);
}

static void add_text(struct grid *l, const struct nginx_text *t)
{
	grid_add(l, t->bytes, t->len < NGINX_TEXT_MAX ? t->len : NGINX_TEXT_MAX);
}

/*
 * Adds the time that is left, and what it is left for, such as "upstream read". Adds empty cells if
 * there is no timeout.
 */
static void add_timeout(struct grid *l, const struct nginx_timeout *t)
{
	static const char *const waits[2][2] = {
		{"client read", "client write"}, {"upstream read", "upstream write"}};

	if (!t->is_set) {
		grid_add_empty(l);
		grid_add_empty(l);
		return;
	}
	grid_addf(l, t->left_ms > 0 ? (double)t->left_ms / 1e3 : 0, 3);
	grid_adds(l, waits[t->of_upstream][t->event]);
}

/*
 * Adds the time when the round began. It is left out of text tables, as it is the same in all rows.
 */
static void add_time(const struct reqs_command *c, struct grid *l)
{
	if (c->format != GRID_TEXT)
		grid_addf(l, (double)(c->read_ns - c->rounds.began_ns) / 1e9, 3);
}

static void begin_grid(
	const struct reqs_command *c, struct grid *l, const char *const *columns, size_t nr)
{
	bool skip = c->format == GRID_TEXT;

	grid_init(l, columns + skip, nr - skip);
	l->without_heading = c->any;
}

static void add_request(struct reqs_command *c, struct grid *l, const struct request_row *row)
{
	const struct nginx_serving_request *q = row->request;
	const struct nginx_texts *t = &q->request.texts;
	const struct nginx_modules *modules = &c->modules[row->worker - c->workers.list];
	const struct nginx_module *handler =
		q->is_reading ? NULL : nginx_handler(modules, t->phase, t->content_handler);
	/* unsigned, because the target's memory may contain anything */
	int64_t age = (int64_t)((uint64_t)c->now_ms - (uint64_t)q->request.start_ms);

	add_time(c, l);
	grid_addu(l, row->worker->pid);
	grid_addf(l, age > 0 ? (double)age / 1e3 : 0, 3);
	add_text(l, &t->text[NGINX_CLIENT]);
	add_text(l, &t->text[NGINX_METHOD]);
	if (t->status)
		grid_addu(l, t->status);
	else
		grid_add_empty(l);
	grid_adds(l, nginx_phase_name(modules, q->is_reading ? NGINX_HEAD : t->phase));
	grid_adds(l, handler ? handler->name : NULL);
	add_text(l, &t->text[NGINX_UPSTREAM]);
	add_text(l, &t->text[NGINX_PEER]);
	grid_addu(l, q->request.sent > 0 ? (uint64_t)q->request.sent : 0);
	grid_addu(l, nginx_pool_bytes(&q->pool));
	add_timeout(l, &q->timeout);
	grid_adds(l, !q->is_consistent ? "changing" : t->subrequest ? "subrequest" : NULL);
	add_text(l, &t->text[NGINX_HOST]);
	add_text(l, &t->text[NGINX_URI]);
	c->partial |= !q->is_consistent;
}

static void list_requests(struct reqs_command *c, struct grid *l)
{
	struct request_row *rows = NULL;
	size_t nr = 0, alloc = 0;

	begin_grid(c, l, request_columns, ARRAY_LEN(request_columns));
	for (size_t i = 0; i < c->workers.nr; i++)
		for (size_t k = 0; k < c->serving[i].nr_requests; k++) {
			ALLOC_GROW(rows, nr, alloc);
			rows[nr++] = (struct request_row){
				&c->workers.list[i], &c->serving[i].requests[k]};
		}
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare_age);
	for (size_t i = 0; i < nr; i++)
		add_request(c, l, &rows[i]);
	free(rows);
}

/* ---- connections ---- */

static const char *const worker_columns[] = {"time", "worker", "connections", "free", "reading",
	"writing", "waiting", "client", "upstream", "kept", "listening", "other", "requests",
	"timers", "timeout", "state"};

static void list_workers(struct reqs_command *c, struct grid *l)
{
	begin_grid(c, l, worker_columns, ARRAY_LEN(worker_columns));
	for (size_t i = 0; i < c->workers.nr; i++) {
		const struct nginx_serving *s = &c->serving[i];

		add_time(c, l);
		grid_addu(l, c->workers.list[i].pid);
		grid_addu(l, s->nr_connections);
		grid_addu(l, s->nr_free);
		for (int k = 0; k < NGINX_USES; k++)
			grid_addu(l, s->nr[k]);
		grid_addu(l, s->nr_requests);
		grid_addu(l, s->nr_timers);
		if (s->nearest.is_set)
			grid_addf(l, s->nearest.left_ms > 0 ? (double)s->nearest.left_ms / 1e3 : 0,
				3);
		else
			grid_add_empty(l);
		grid_adds(l, s->is_consistent ? NULL : "changing");
		c->partial |= !s->is_consistent;
	}
}

static const char *const server_columns[] = {"time", "accepted", "handled", "requests", "active",
	"reading", "writing", "waiting", "connections_per_s", "requests_per_s"};

static void add_rate(const struct reqs_command *c, struct grid *l, enum server_counter i)
{
	double seconds = (double)(c->now.at_ns - c->before.at_ns) / 1e9;

	/* a new program, after an upgrade, counts from 0 */
	if (c->before.at_ns && c->now.is_known[i] && c->before.is_known[i] &&
		c->now.value[i] >= c->before.value[i])
		grid_addf(l, (double)(c->now.value[i] - c->before.value[i]) / seconds, 1);
	else
		grid_add_empty(l);
}

static void list_server(struct reqs_command *c, struct grid *l)
{
	begin_grid(c, l, server_columns, ARRAY_LEN(server_columns));
	add_time(c, l);
	for (int i = 0; i < SERVER_COUNTERS; i++)
		if (c->now.is_known[i])
			grid_addu(l, c->now.value[i]);
		else
			grid_add_empty(l);
	add_rate(c, l, ACCEPTED);
	add_rate(c, l, REQUESTS);
}

/* ---- output ---- */

typedef void list_rows(struct reqs_command *c, struct grid *l);

static const struct {
	const char *name;
	list_rows *list;
} tables[] = {{"requests", list_requests}, {"workers", list_workers}, {"server", list_server}};

static bool is_shown(const struct reqs_command *c, size_t i)
{
	return c->format != GRID_CSV || i == (c->connections ? 1 : 0);
}

static void print_round(struct reqs_command *c)
{
	struct strbuf out = STRBUF_INIT;
	bool json = c->format == GRID_JSON;

	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		struct grid l;

		if (!is_shown(c, i))
			continue;
		if (json)
			strbuf_addf(&out, "%s\"%s\": ", i ? ",\n" : "{", tables[i].name);
		else if (c->format == GRID_TEXT && (i || c->any))
			strbuf_addch(&out, '\n');
		tables[i].list(c, &l);
		grid_write(&l, c->format, &out);
		grid_release(&l);
	}
	strbuf_adds(&out, json ? "}\n" : "");
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
	c->any = true;
}

/*
 * Finds the workers again if workers have begun or ended. Tries this for some time, because new
 * workers cannot be read until they are set up. Returns false if nginx has ended, if a signal came,
 * or if ERR is set.
 */
static bool renew(struct reqs_command *c, uint64_t started, struct strbuf *err)
{
	const struct timespec pause = {0, RENEW_STEP_NS};
	int64_t until_ns = monotonic_ns() + RENEW_NS;

	if (nginx_workers_are_current(&c->workers))
		return true;
	for (;;) {
		close_workers(c);
		strbuf_reset(err);
		if (!task_lives(c->pid, started) || program_is_stopped())
			return false;
		if (!open_workers(c, err))
			return true;
		if (monotonic_ns() >= until_ns)
			return false;
		nanosleep(&pause, NULL);
	}
}

static int watch(struct reqs_command *c, struct strbuf *err)
{
	uint64_t started = task_start(c->pid, c->pid);

	if (open_workers(c, err))
		return EXIT_FAILED;
	c->rounds = repeat_begin(c->watch, c->seconds);
	do {
		read_round(c);
		print_round(c);
	} while (!fflush(stdout) && repeat_wait(&c->rounds) && renew(c, started, err));
	if (program_close(stdout, "stdout") || err->len)
		return EXIT_FAILED;
	if (c->stopped_ns)
		program_say(
			"workers were stopped for %.1f ms at most", (double)c->stopped_ns / 1e6);
	return c->partial ? EXIT_PARTIAL : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct reqs_command c = {0};
	struct strbuf err = STRBUF_INIT;
	int ret;

	program_init();
	arg_parse(&program, argc, argv, &c);
	program_catch_signals();
	ret = watch(&c, &err);
	program_say_lines(&err);
	strbuf_release(&err);
	close_workers(&c);
	return program_end(ret);
}
