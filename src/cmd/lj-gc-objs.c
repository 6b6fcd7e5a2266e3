/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"
#include "inspect/luajit_objects.h"
#include "inspect/luajit_process.h"

#include <inttypes.h>

enum { TOP_MAX = 100000, STOP_MAX_S = 10 };

struct objs_command {
	uint32_t pid;
	size_t top;  /* number of objects to list, or 0 to list types */
	double stop; /* seconds, or 0 if the process is not stopped */
	enum grid_format format;
	struct luajit_process process;
	bool partial;
};

static const struct arg_option options[] = {
	{"top", 'n', "NUMBER", "List the NUMBER largest objects instead of types", 1, arg_count,
		ARG_AT(struct objs_command, top), 1, TOP_MAX},
	{"stop", 's', "TIME", "Stop the process while it is read, for TIME (5ms) at most", 1,
		arg_duration, ARG_AT(struct objs_command, stop), .max = STOP_MAX_S},
	{0},
};

static const struct arg_table program = {
	.options = options,
	.words = PROCESS_ARGS_WORDS,
	.about = "Counts the garbage-collected objects of LuaJIT in a process by type, with their "
		 "bytes. The process is stopped only with --stop.\v"
		 "Exit status: 0 all were counted; 1 not all; 2 failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct objs_command, pid)},
		{&grid_args, offsetof(struct objs_command, format)}, {0}},
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *const type_columns[] = {
	"state", "type", "count", "bytes", "percent", "average", "largest", "address"};
static const char *const top_columns[] = {"state", "type", "bytes", "address", "what"};

static void add_sum(struct grid *g, uint64_t state, int use, const struct luajit_objects *all)
{
	const struct luajit_use_sum *s = &all->sums[use];

	grid_add_address(g, state);
	grid_adds(g, luajit_use_name(use));
	grid_addu(g, s->nr);
	grid_addu(g, s->bytes);
	grid_addf(g, percent(s->bytes, all->total), 2);
	grid_addu(g, s->nr ? s->bytes / s->nr : 0);
	grid_addu(g, s->largest);
	if (s->address)
		grid_add_address(g, s->address);
	else
		grid_add_empty(g);
}

/* Adds a row of bytes that are not counted by object. */
static void add_bytes(
	struct grid *g, uint64_t state, const char *name, uint64_t bytes, uint64_t total)
{
	grid_add_address(g, state);
	grid_adds(g, name);
	grid_add_empty(g);
	grid_addu(g, bytes);
	grid_addf(g, percent(bytes, total), 2);
	for (int i = 0; i < 3; i++)
		grid_add_empty(g);
}

static void add_types(struct grid *g, uint64_t state, const struct luajit_objects *o)
{
	for (int i = 0; i < LUAJIT_USES; i++)
		add_sum(g, state, i, o);
	add_bytes(g, state, "other", o->total > o->bytes ? o->total - o->bytes : 0, o->total);
	add_bytes(g, state, "total", o->total, o->total);
}

static void add_top(struct grid *g, uint64_t state, const struct luajit_objects *o)
{
	for (size_t i = 0; i < o->nr_top; i++) {
		grid_add_address(g, state);
		grid_adds(g, luajit_use_name(o->top[i].use));
		grid_addu(g, o->top[i].bytes);
		grid_add_address(g, o->top[i].address);
		grid_adds(g, o->texts[i]);
	}
}

/* Says how complete the reading is. */
static void say_quality(
	const struct objs_command *c, uint64_t state, const struct luajit_objects *o)
{
	struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "state %#" PRIx64 ": %.1f %% of its %" PRIu64 " bytes are explained", state,
		percent(o->bytes, o->total), o->total);
	strbuf_addf(&s, "; read in %.1f ms, %u %s", (double)o->copied_ns / 1e6, o->tries,
		o->tries == 1 ? "try" : "tries");
	if (o->stopped_ns)
		strbuf_addf(&s, ", stopped for %.1f ms", (double)o->stopped_ns / 1e6);
	if (o->lost)
		strbuf_addf(&s, "; %" PRIu64 " references could not be followed", o->lost);
	if (!o->is_steady)
		strbuf_adds(&s, "; objects were freed meanwhile");
	if (o->is_full)
		strbuf_adds(&s, "; only the first 2 GiB were read");
	if (c->stop > 0 && !o->stopped_ns)
		strbuf_adds(&s, "; the process could not be stopped in that time");
	else if ((o->lost || !o->is_steady) && c->stop <= 0)
		strbuf_adds(&s, ": try again, or with --stop=5ms");
	else if (o->lost || !o->is_steady)
		strbuf_adds(&s, ": allow more time with --stop");
	program_say("%s", s.buf);
	strbuf_release(&s);
}

static void count_state(struct objs_command *c, struct grid *g, uint64_t state)
{
	struct luajit_objects_request request = {.memory = &c->process.target.memory,
		.layout = &c->process.layout,
		.global = state,
		.top = c->top,
		.pid = c->pid,
		.stop_ns = (int64_t)(c->stop * 1e9)};
	struct luajit_objects o;

	if (luajit_objects_count(&request, &o)) {
		if (c->top)
			add_top(g, state, &o);
		else
			add_types(g, state, &o);
		say_quality(c, state, &o);
	} else {
		program_say("state %#" PRIx64 " of process %" PRIu32
			    " could not be read: it is gone, or there is no memory for a copy",
			state, c->pid);
	}
	c->partial |=
		!o.tries || o.lost || !o.is_steady || o.is_full || (c->stop > 0 && !o.stopped_ns);
	luajit_objects_release(&o);
}

static void list_states(struct grid *g, void *command)
{
	struct objs_command *c = command;

	if (c->top)
		grid_init(g, top_columns, ARRAY_LEN(top_columns));
	else
		grid_init(g, type_columns, ARRAY_LEN(type_columns));
	for (size_t i = 0; i < c->process.states.nr; i++)
		count_state(c, g, c->process.states.list[i]);
}

static int count_all(struct objs_command *c)
{
	static const char *const names[] = {"types", "objects", NULL};
	static grid_list *const lists[] = {list_states, list_states};

	grid_print(names, lists, c->top ? 2 : 1, c->format, c);
	if (program_close(stdout, "stdout"))
		return EXIT_FAILED;
	return c->partial ? EXIT_PARTIAL : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct objs_command c = {0};
	struct strbuf err = STRBUF_INIT;
	int ret = EXIT_FAILED;

	program_init();
	arg_parse(&program, argc, argv, &c);
	if (!luajit_process_open(&c.process, c.pid, &err))
		ret = count_all(&c);
	program_say_rest(&err);
	luajit_process_close(&c.process);
	return program_end(ret);
}
