/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx/nginx_rounds.h"
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/repeat.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/task.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

enum { LONGEST_S = 1000000, STOP_MAX_S = 1, WATCH_S = 1 };

struct reqs_command {
	enum grid_format format;
	bool connections;      /* in CSV: the connections of workers instead of requests */
	double watch, seconds; /* watch is 0 for a single round, seconds for no end */
	struct nginx_rounds nginx;
	struct repeat rounds;
	bool partial, any; /* a round was printed */
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
		arg_duration, AT(nginx.stop), .max = STOP_MAX_S},
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
	process_args.take_words(&o->nginx.pid, words);
}

static void settle(void *input)
{
	const struct reqs_command *o = input;

	if (o->seconds > 0 && o->watch <= 0)
		arg_error("--time without --watch: give both, or none");
	if (o->connections && o->format != GRID_CSV)
		arg_error("--connections is for CSV: text and JSON have both tables");
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
	.parts =
		(const struct arg_part[]){{&process_args, offsetof(struct reqs_command, nginx.pid)},
			{&grid_args, offsetof(struct reqs_command, format)}, {0}},
};

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

/* Adds the time that is left, or an empty cell if there is no timeout. */
static void add_left(struct grid *l, const struct nginx_timeout *t)
{
	if (t->is_set)
		grid_addf(l, t->left_ms > 0 ? (double)t->left_ms / 1e3 : 0, 3);
	else
		grid_add_empty(l);
}

/* Adds the time that is left, and what it is left for, such as "upstream read". */
static void add_timeout(struct grid *l, const struct nginx_timeout *t)
{
	static const char *const waits[2][2] = {
		{"client read", "client write"}, {"upstream read", "upstream write"}};

	add_left(l, t);
	grid_adds(l, t->is_set ? waits[t->of_upstream][t->event] : NULL);
}

/*
 * Adds the time when the round began. It is left out of text tables, as it is the same in all rows.
 */
static void add_time(const struct reqs_command *c, struct grid *l)
{
	if (c->format != GRID_TEXT)
		grid_addf(l, (double)(c->nginx.read_ns - c->rounds.began_ns) / 1e9, 3);
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
	const struct nginx_modules *modules =
		&c->nginx.modules[row->worker - c->nginx.workers.list];
	const struct nginx_module *handler =
		q->is_reading ? NULL : nginx_handler(modules, t->phase, t->content_handler);
	/* unsigned, because the target's memory may contain anything */
	int64_t age = (int64_t)((uint64_t)c->nginx.now_ms - (uint64_t)q->request.start_ms);

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

static void list_requests(struct grid *l, void *context)
{
	struct reqs_command *c = context;
	struct request_row *rows = NULL;
	size_t nr = 0, alloc = 0;

	begin_grid(c, l, request_columns, ARRAY_LEN(request_columns));
	for (size_t i = 0; i < c->nginx.workers.nr; i++)
		for (size_t k = 0; k < c->nginx.serving[i].nr_requests; k++) {
			ALLOC_GROW(rows, nr, alloc);
			rows[nr++] = (struct request_row){
				&c->nginx.workers.list[i], &c->nginx.serving[i].requests[k]};
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

static void list_workers(struct grid *l, void *context)
{
	struct reqs_command *c = context;

	begin_grid(c, l, worker_columns, ARRAY_LEN(worker_columns));
	for (size_t i = 0; i < c->nginx.workers.nr; i++) {
		const struct nginx_serving *s = &c->nginx.serving[i];

		add_time(c, l);
		grid_addu(l, c->nginx.workers.list[i].pid);
		grid_addu(l, s->nr_connections);
		grid_addu(l, s->nr_free);
		for (int k = 0; k < NGINX_USES; k++)
			grid_addu(l, s->nr[k]);
		grid_addu(l, s->nr_requests);
		grid_addu(l, s->nr_timers);
		add_left(l, &s->nearest);
		grid_adds(l, s->is_consistent ? NULL : "changing");
		c->partial |= !s->is_consistent;
	}
}

static const char *const server_columns[] = {"time", "accepted", "handled", "requests", "active",
	"reading", "writing", "waiting", "connections_per_s", "requests_per_s"};

static void add_rate(const struct reqs_command *c, struct grid *l, enum nginx_stat i)
{
	double seconds = (double)(c->nginx.now.at_ns - c->nginx.before.at_ns) / 1e9;

	/* a new program, after an upgrade, counts from 0 */
	if (c->nginx.before.at_ns && c->nginx.now.is_known[i] && c->nginx.before.is_known[i] &&
		c->nginx.now.value[i] >= c->nginx.before.value[i])
		grid_addf(
			l, (double)(c->nginx.now.value[i] - c->nginx.before.value[i]) / seconds, 1);
	else
		grid_add_empty(l);
}

static void list_server(struct grid *l, void *context)
{
	const struct reqs_command *c = context;

	begin_grid(c, l, server_columns, ARRAY_LEN(server_columns));
	add_time(c, l);
	for (int i = 0; i < NGINX_STATS; i++)
		if (c->nginx.now.is_known[i])
			grid_addu(l, c->nginx.now.value[i]);
		else
			grid_add_empty(l);
	add_rate(c, l, NGINX_STAT_ACCEPTED);
	add_rate(c, l, NGINX_STAT_REQUESTS);
}

/* ---- output ---- */

static const char *const table_names[] = {"requests", "workers", "server", NULL};
static grid_list *const lists[] = {list_requests, list_workers, list_server};

static void print_round(struct reqs_command *c)
{
	struct strbuf notes = STRBUF_INIT;
	unsigned only = c->connections ? 1U << 1 : 1U << 0; /* a CSV has only one table */

	nginx_rounds_read(&c->nginx, &notes);
	program_say_rest(&notes);
	if (c->format == GRID_TEXT && c->any)
		putchar('\n');
	grid_print(table_names, lists, c->format == GRID_CSV ? only : UINT_MAX, c->format, c);
	c->any = true;
}

static int watch(struct reqs_command *c, struct strbuf *err)
{
	uint64_t started = task_start(c->nginx.pid, c->nginx.pid);

	if (nginx_rounds_open(&c->nginx, err))
		return EXIT_FAILED;
	c->rounds = repeat_begin(c->watch, c->seconds);
	do {
		print_round(c);
	} while (!fflush(stdout) && repeat_wait(&c->rounds) &&
		 nginx_rounds_renew(&c->nginx, started, err));
	if (program_close(stdout, "stdout") || err->len)
		return EXIT_FAILED;
	if (c->nginx.stopped_ns)
		program_say("workers were stopped for %.1f ms at most",
			(double)c->nginx.stopped_ns / 1e6);
	return c->partial || c->nginx.is_partial ? EXIT_PARTIAL : EXIT_OK;
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
	program_say_rest(&err);
	nginx_rounds_close(&c.nginx);
	return program_end(ret);
}
