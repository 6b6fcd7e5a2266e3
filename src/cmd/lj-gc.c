/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/repeat.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/reader.h"
#include "process/task.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/process_args.h"
#include "inspect/luajit_gc.h"
#include "inspect/luajit_process.h"

#include <inttypes.h>

enum { LONGEST_S = 1000000 };

struct gc_command {
	uint32_t pid;
	double interval, seconds; /* interval is 0 for a single round, seconds for no end */
	struct luajit_process process;
	struct repeat rounds;
	bool any;        /* a row was printed */
	uint64_t failed; /* a state that could not be read, or 0 */
};

static const struct argp_option table[] = {
	{"interval", 'i', "TIME", 0, "Repeat every TIME (5, 500ms) until the process ends", 1},
	{"time", 't', "TIME", 0, "With --interval: stop after TIME (5, 2m, 1h)", 1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct gc_command *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->pid;
		break;
	case 'i':
		o->interval = arg_duration("--interval", arg, LONGEST_S, state);
		break;
	case 't':
		o->seconds = arg_duration("--time", arg, LONGEST_S, state);
		break;
	case ARGP_KEY_SUCCESS:
		if (o->seconds > 0 && o->interval <= 0)
			arg_error(state, "--time without --interval: give both, or none");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&process_args_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = PROCESS_ARGS_DOC,
	.children = children,
	.doc = "Writes the state of LuaJIT's garbage collectors in a process to stdout: one row of "
	       "CSV for each Lua state. The process is not stopped.\v"
	       "Exit status: 0 all rows; 1 some could not be read; 2 failed; 64 wrong usage.",
};

static void print_row(struct gc_command *o, uint64_t global)
{
	struct luajit_gc gc;

	if (!luajit_gc_read(&o->process.target.memory, global, &gc)) {
		if (task_lives(o->pid, 0))
			o->failed = global;
		return;
	}
	printf("%.3f,%#" PRIx64 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u\n",
		o->any ? (double)(monotonic_ns() - o->rounds.began_ns) / 1e9 : 0.0, global,
		gc.phase, gc.total, gc.threshold, gc.estimate, gc.debt, gc.pause, gc.stepmul,
		gc.strings, gc.slots);
}

/* Returns false if no state is left. */
static bool print_rows(struct gc_command *o)
{
	size_t nr = 0;

	reader_forgive();
	for (size_t i = 0; i < o->process.states.nr; i++)
		if (luajit_state_at(&o->process.target.memory, o->process.states.list[i]) ==
			LUAJIT_GC64) {
			print_row(o, o->process.states.list[i]);
			nr++;
		}
	o->any = true;
	return nr;
}

static int watch(struct gc_command *o)
{
	o->rounds = repeat_begin(o->interval, o->seconds);
	puts("time,state,phase,total,threshold,estimate,debt,pause,stepmul,strings,string_slots");
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
	arg_parse(&argp, argc, argv, 0, &o);
	program_catch_signals();
	if (!luajit_process_open(&o.process, o.pid, &err))
		ret = watch(&o);
	program_say_lines(&err);
	strbuf_release(&err);
	luajit_process_close(&o.process);
	return program_end(ret);
}
