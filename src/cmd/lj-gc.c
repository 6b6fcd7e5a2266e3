/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/grid.h"
#include "lib/program.h"
#include "lib/repeat.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/reader.h"
#include "process/task.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"
#include "inspect/luajit_gc.h"
#include "inspect/luajit_process.h"

#include <inttypes.h>

enum { LONGEST_S = 1000000, GC_COLUMNS = 11 };

struct gc_command {
	uint32_t pid;
	double interval, seconds; /* interval is 0 for a single round, seconds for no end */
	struct luajit_process process;
	struct repeat rounds;
	enum grid_format format;
	size_t widths[GC_COLUMNS];
	bool any;        /* a row was printed */
	size_t nr;       /* number of states in this round */
	uint64_t failed; /* a state that could not be read, or 0 */
};

static const char *const columns[GC_COLUMNS] = {"time", "state", "phase", "total", "threshold",
	"estimate", "debt", "pause", "stepmul", "strings", "string_slots"};

static const struct arg_option options[] = {
	{"interval", 'i', "TIME", "Repeat every TIME (5, 500ms) until the process ends", 1,
		arg_duration, ARG_AT(struct gc_command, interval), .max = LONGEST_S},
	{"time", 't', "TIME", "With --interval: stop after TIME (5, 2m, 1h)", 1, arg_duration,
		ARG_AT(struct gc_command, seconds), .max = LONGEST_S},
	{0},
};

static void settle(void *input)
{
	const struct gc_command *o = input;

	if (o->seconds > 0 && o->interval <= 0)
		arg_error("--time without --interval: give both, or none");
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = PROCESS_ARGS_WORDS,
	.about = "Writes the state of LuaJIT's garbage collectors in a process to stdout: one row "
		 "for each Lua state. The process is not stopped.\v"
		 "Exit status: 0 all rows; 1 some could not be read; 2 failed; 64 wrong usage.",
	.parts = (const struct arg_part[]){{&process_args, offsetof(struct gc_command, pid)},
		{&grid_args, offsetof(struct gc_command, format)}, {0}},
};

static void add_row(struct gc_command *o, struct grid *g, uint64_t global)
{
	struct luajit_gc gc;

	if (!luajit_gc_read(&o->process.target.memory, global, &gc)) {
		if (task_lives(o->pid, 0))
			o->failed = global;
		return;
	}
	const uint64_t numbers[] = {gc.total, gc.threshold, gc.estimate, gc.debt, gc.pause,
		gc.stepmul, gc.strings, gc.slots};

	grid_addf(g, o->any ? (double)(monotonic_ns() - o->rounds.began_ns) / 1e9 : 0.0, 3);
	grid_add_address(g, global);
	grid_adds(g, gc.phase);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		grid_addu(g, numbers[i]);
}

static void list_states(struct grid *g, void *command)
{
	struct gc_command *o = command;

	grid_init(g, columns, GC_COLUMNS);
	g->widths = o->widths;
	g->without_heading = o->any;
	for (size_t i = 0; i < o->process.states.nr; i++)
		if (luajit_state_at(&o->process.target.memory, o->process.states.list[i]) ==
			LUAJIT_GC64) {
			add_row(o, g, o->process.states.list[i]);
			o->nr++;
		}
}

/* Returns false if no state is left. */
static bool print_rows(struct gc_command *o)
{
	static const char *const names[] = {"states", NULL};
	static grid_list *const lists[] = {list_states};

	reader_forgive();
	o->nr = 0;
	grid_print(names, lists, 1, o->format, o);
	o->any = true;
	return o->nr;
}

static int watch(struct gc_command *o)
{
	o->rounds = repeat_begin(o->interval, o->seconds);
	while (print_rows(o) && !fflush(stdout) && repeat_wait(&o->rounds))
		;
	if (program_close(stdout, "stdout"))
		return EXIT_FAILED;
	if (o->failed)
		program_say("state %#" PRIx64 " of process %" PRIu32
			    " could not be read: its collector never rested meanwhile; try again",
			o->failed, o->pid);
	return o->failed ? EXIT_PARTIAL : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct gc_command o = {0};
	struct strbuf err = STRBUF_INIT;
	int ret = EXIT_FAILED;

	program_init();
	arg_parse(&program, argc, argv, &o);
	program_catch_signals();
	if (!luajit_process_open(&o.process, o.pid, &err))
		ret = watch(&o);
	program_say_rest(&err);
	luajit_process_close(&o.process);
	return program_end(ret);
}
