/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool/exits/exit_counts.h"
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "process/task.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"
#include "inspect/luajit_exits.h"
#include "inspect/luajit_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
	LONGEST_S = 1000000,
	POLL_NS = 100000000,
	POLL_SHARE = 10, /* polling takes at most 1/POLL_SHARE of the time */
};

/* The place where a trace starts. */
struct trace_start {
	char *function; /* empty if not known */
	uint32_t line;
};

struct exit_row {
	struct exit_key key;
	struct exit_value value;
};

struct exits_command {
	uint32_t pid;
	double seconds; /* 0 to run until the process ends */
	enum grid_format format;
	struct luajit_process process;
	struct exit_counts exits;
	struct trace_start *starts;
	size_t nr_starts, starts_alloc;
	struct table by_trace; /* maps state with number, and start, to index in starts + 1 */
	struct exit_row *rows;
	size_t nr, alloc;
	double elapsed;
};

static const struct arg_option options[] = {
	{"time", 't', "TIME", "Stop after TIME (5, 500ms, 2m), else with Ctrl-C", 1, arg_duration,
		ARG_AT(struct exits_command, seconds), .max = LONGEST_S},
	{0},
};

static const struct arg_table program = {
	.options = options,
	.words = PROCESS_ARGS_WORDS,
	.about =
		"Counts how often the traces of LuaJIT's compiler are left in a process, by trace "
		"and exit.\v"
		"Exit status: 0 all exits were counted; 1 some were not; 2 failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct exits_command, pid)},
		{&grid_args, offsetof(struct exits_command, format)}, {0}},
};

/* ---- counting ---- */

static int begin_counting(struct exits_command *c, struct strbuf *err)
{
	struct luajit_exit_handler handler;
	struct exit_counts_probe probe = {.pid = c->pid};
	char path[64];

	if (!luajit_exit_handler_find(&c->process, &handler))
		return fail(err,
			"LuaJIT in process %" PRIu32 " has no code that leaves traces as that of "
			"LuaJIT 2.1 (GC64) for x86_64: it was built without its compiler",
			c->pid);
	/* this path works even if the file was replaced, or is in a container */
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, c->pid,
		handler.start, handler.end);
	probe.path = path;
	probe.offset = handler.offset;
	probe.settings = (struct exits_settings){.vmstate = handler.vmstate,
		.vmstate_at = LUAJIT_VMSTATE,
		.traces = c->process.layout.has_traces ? c->process.layout.shape.traces : 0};
	return exit_counts_begin(&c->exits, &probe, err);
}

/* Returns a pointer to the index in starts + 1, which is 0 if the trace is new. */
static uint32_t *start_of(struct exits_command *c, const struct exit_key *key, bool *is_new)
{
	return table_put(&c->by_trace, key->global << 16 | (key->trace & 0xffff), key->pc, is_new);
}

/*
 * Reads where traces start that were not left before. This cannot wait, because they may be flushed
 * soon.
 */
static void find_starts(struct exits_command *c)
{
	struct exit_key key, next;
	struct exit_value value;

	for (bool any = false; exit_counts_next(&c->exits, any ? &key : NULL, &next, &value);
		any = true) {
		struct strbuf function = STRBUF_INIT;
		struct trace_start begin;
		bool is_new;
		uint32_t *number;

		key = next;
		number = start_of(c, &key, &is_new);
		if (!is_new)
			continue;
		if (!luajit_trace_place(&c->process, value.proto, key.pc, &function, &begin.line))
			begin.line = 0;
		begin.function = strbuf_detach(&function);
		ALLOC_GROW(c->starts, c->nr_starts, c->starts_alloc);
		c->starts[c->nr_starts++] = begin;
		*number = (uint32_t)c->nr_starts;
	}
}

static void read_rows(struct exits_command *c)
{
	struct exit_row row, *last = NULL;

	while (exit_counts_next(&c->exits, last ? &last->key : NULL, &row.key, &row.value)) {
		ALLOC_GROW(c->rows, c->nr, c->alloc);
		c->rows[c->nr] = row;
		last = &c->rows[c->nr++];
	}
}

/* Counts until the time is over, a signal comes, or the process ends. */
static void watch(struct exits_command *c)
{
	int64_t began = monotonic_ns(), end = began + (int64_t)(c->seconds * 1e9);
	uint64_t start = task_start(c->pid, c->pid);

	if (c->seconds > 0)
		exit_counts_until(&c->exits, end);
	while (!program_is_stopped() && task_lives(c->pid, start)) {
		int64_t now = monotonic_ns(), wait;
		struct timespec time;

		if (c->seconds > 0 && now >= end)
			break;
		find_starts(c);
		wait = (monotonic_ns() - now) * POLL_SHARE;
		if (wait < POLL_NS)
			wait = POLL_NS;
		if (c->seconds > 0 && wait > end - now)
			wait = end - now;
		time = (struct timespec){wait / 1000000000, wait % 1000000000};
		nanosleep(&time, NULL);
	}
	if (c->seconds <= 0 || monotonic_ns() < end) {
		end = monotonic_ns();
		exit_counts_until(&c->exits, end);
	}
	c->elapsed = (double)(end - began) / 1e9;
	exit_counts_stop(&c->exits);
	find_starts(c);
	read_rows(c);
}

/* ---- output ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct exit_row *x = a, *y = b;

	if (x->value.count != y->value.count)
		return compare_u64(y->value.count, x->value.count);
	if (x->key.global != y->key.global)
		return compare_u64(x->key.global, y->key.global);
	if (x->key.trace != y->key.trace)
		return compare_u64(x->key.trace, y->key.trace);
	if (x->key.exit != y->key.exit)
		return compare_u64(x->key.exit, y->key.exit);
	return compare_u64(x->key.pc, y->key.pc);
}

enum { FUNCTION = 5 }; /* its column */
static const char *const columns[] = {"state", "trace", "exit", "count", "per_second", "function",
	"line", "parent", "parent_exit", "link", "link_type"};

/* Adds NUMBER, or nothing if it is not KNOWN. */
static void add_known(struct grid *g, bool known, uint64_t number)
{
	if (known)
		grid_addu(g, number);
	else
		grid_add_empty(g);
}

static void add_row(struct exits_command *c, struct grid *g, const struct exit_row *row)
{
	bool is_new;
	uint32_t number = *start_of(c, &row->key, &is_new);
	const struct trace_start *begin = number ? &c->starts[number - 1] : NULL;
	const struct exit_value *v = &row->value;

	grid_add_address(g, row->key.global);
	grid_addu(g, row->key.trace);
	grid_addu(g, row->key.exit);
	grid_addu(g, v->count);
	grid_addf(g, (double)v->count / c->elapsed, 1);
	grid_adds(g, begin ? begin->function : NULL);
	add_known(g, begin && begin->line, begin ? begin->line : 0);
	add_known(g, v->is_side, v->parent);
	add_known(g, v->is_side, v->parent_exit);
	add_known(g, v->link, v->link);
	/* the type is also 0 for a trace that could not be read */
	grid_adds(g, v->proto ? luajit_link_name(v->link_type) : NULL);
}

static void list_exits(struct grid *g, void *command)
{
	struct exits_command *c = command;

	grid_init(g, columns, ARRAY_LEN(columns));
	g->name = FUNCTION;
	for (size_t i = 0; i < c->nr; i++)
		add_row(c, g, &c->rows[i]);
}

static int print(struct exits_command *c)
{
	static const char *const names[] = {"exits", NULL};
	static grid_list *const lists[] = {list_exits};
	uint64_t sum = 0, lost = exit_counts_lost(&c->exits);
	int ret;

	if (c->nr)
		qsort(c->rows, c->nr, sizeof(*c->rows), compare_rows);
	for (size_t i = 0; i < c->nr; i++)
		sum += c->rows[i].value.count;
	grid_print(names, lists, 1, c->format, c);
	ret = program_close(stdout, "stdout") ? EXIT_FAILED : lost ? EXIT_PARTIAL : EXIT_OK;
	program_say("%" PRIu64 " exits in %.1f s: %.1f per second", sum, c->elapsed,
		(double)sum / c->elapsed);
	if (lost)
		program_say("%" PRIu64 " more exits were not counted: there are more than %d "
			    "different ones, or memory could not be read",
			lost, EXITS_MAX);
	return ret;
}

static void release(struct exits_command *c)
{
	for (size_t i = 0; i < c->nr_starts; i++)
		free(c->starts[i].function);
	free(c->starts);
	free(c->rows);
	table_release(&c->by_trace);
	exit_counts_release(&c->exits);
	luajit_process_close(&c->process);
}

int main(int argc, char **argv)
{
	struct exits_command c = {0};
	struct strbuf err = STRBUF_INIT;
	int ret = EXIT_FAILED;

	program_init();
	arg_parse(&program, argc, argv, &c);
	program_catch_signals();
	table_init(&c.by_trace);
	if (!luajit_process_open(&c.process, c.pid, &err) && !begin_counting(&c, &err)) {
		watch(&c);
		ret = print(&c);
	}
	program_say_rest(&err);
	release(&c);
	return program_end(ret);
}
