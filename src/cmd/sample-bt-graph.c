/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample-bt-graph: records the calls that functions of the kernel make, with the time of each, as
 * text that all views read.
 */
#include "inspect/ftrace.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/command.h"
#include "process/task.h"
#include "view/args/arg_value.h"
#include "view/output_file.h"

#include <inttypes.h>
#include <string.h>

enum { FUNCTIONS_MAX = 64, LONGEST_S = 1000000, POLL_MS = 100, BUFFER_KB = 8192 };

struct graph_command {
	const char *functions[FUNCTIONS_MAX];
	size_t nr_functions;
	struct ftrace_request request;
	double seconds; /* or 0 to run until the target ends */
	struct output_file output;
	char **words; /* the command, or NULL */
	struct command command;
	uint64_t start;       /* of the process */
	uint64_t bytes, lost; /* of the text; calls and returns */
};

static void add_function(const struct arg_option *option, const char *arg, void *to)
{
	struct graph_command *c = to;

	if (c->nr_functions == FUNCTIONS_MAX)
		arg_error("--%s: more than %d functions", option->name, FUNCTIONS_MAX);
	if (!*arg || strpbrk(arg, " \t\n"))
		arg_invalid(option, arg, "a function of the kernel such as vfs_read");
	c->functions[c->nr_functions++] = arg;
}

/* Refuses the names of pictures and tables, which the views make of the text. */
static void set_output(const struct arg_option *option, const char *arg, void *to)
{
	static const char *const endings[] = {".trace", ".txt"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (!strcmp(arg, "-") || ends_with(arg, endings[i])) {
			*(const char **)to = arg;
			return;
		}
	arg_invalid(option, arg, "a name that ends in .trace or .txt; bt-flame makes the picture");
}

static void take_words(void *input, const struct arg_words *words)
{
	struct graph_command *c = input;

	if (!words->nr_quoted)
		arg_error("'%s': put the command after --", *words->list);
	c->words = words->list;
}

static void settle(void *input)
{
	const struct graph_command *c = input;

	if (!c->nr_functions)
		arg_error("nothing to record: give -g FUNCTION, such as -g vfs_read");
	if (c->words && c->request.pid)
		arg_error("too many targets: give -p PID or -- COMMAND");
}

#define AT(member) ARG_AT(struct graph_command, member)

static const struct arg_option options[] = {
	{"graph", 'g', "FUNCTION",
		"This function of the kernel and all that it calls; can be repeated, and * is a "
		"pattern",
		1, .set = add_function},
	{"pid", 'p', "PID", "Only in this process, its threads and the processes that it starts", 1,
		arg_count, AT(request.pid), 1, INT32_MAX},
	{"time", 't', "TIME",
		"Stop after TIME (5, 500ms, 2m), else with Ctrl-C or when the target ends", 1,
		arg_duration, AT(seconds), .max = LONGEST_S},
	{"depth", 0, "N", "Only N levels of calls", 1, arg_count, AT(request.depth), 1, 1000},
	{"buffer", 0, "KB", "Room for each processor (default 8192)", 1, arg_count,
		AT(request.buffer), 64, 1 << 20},
	{"output", 'o', "FILE",
		"Write to FILE.trace or FILE.txt, once it is complete, not to stdout", 1,
		set_output, AT(output.path)},
	{0},
};

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.take_words = take_words,
	.words = "-g FUNCTION [-p PID | -- COMMAND [ARG...]]",
	.about = "Records the calls that functions of the kernel make, with the time of each, by "
		 "the "
		 "kernel's tracer function_graph, as text that bt-flame, bt-report and the other "
		 "views read.\v"
		 "Exit status: 0 all calls; 1 some are missing, or there were none; 2 failed; 64 "
		 "wrong usage.",
	.in_order = true,
};

static bool target_ended(struct graph_command *c)
{
	if (c->words)
		return command_ended(&c->command);
	return c->request.pid && !task_lives(c->request.pid, c->start);
}

/* Reads until the time is over, a signal comes or the target ends, and then what is left. */
static int copy(struct graph_command *c, const struct ftrace *f, FILE *out, struct strbuf *err)
{
	int64_t end = monotonic_ns() + (int64_t)(c->seconds * 1e9);
	ssize_t n = 0;

	while (n >= 0 && !program_is_stopped() && !target_ended(c) &&
		(c->seconds <= 0 || monotonic_ns() < end)) {
		n = ftrace_copy(f, POLL_MS, out, err);
		c->bytes += n > 0 ? (uint64_t)n : 0;
	}
	if (n < 0 || ftrace_run(f, false, err))
		return -1;
	while ((n = ftrace_copy(f, 0, out, err)) > 0)
		c->bytes += (uint64_t)n;
	return n < 0 ? -1 : 0;
}

static int record(struct graph_command *c, FILE *out, struct strbuf *err)
{
	struct ftrace f;
	int ret = -1;

	if (c->words) {
		if (command_start(&c->command, c->words, NULL, err))
			return -1;
		c->request.pid = (uint32_t)c->command.pid;
	}
	c->start = task_start(c->request.pid, c->request.pid);
	if (!ftrace_begin(&f, &c->request, err) && !ftrace_run(&f, true, err)) {
		fputs("# tracer: function_graph\n", out);
		if (c->words)
			command_go(&c->command);
		ret = copy(c, &f, out, err);
		c->lost = ftrace_lost(&f);
	}
	return ftrace_end(&f, err) ? -1 : ret;
}

static int run(struct graph_command *c, struct strbuf *err)
{
	FILE *out = output_file_begin(&c->output);
	int ret = out ? record(c, out, err) : -1;

	if (out && output_file_end(&c->output, !ret))
		ret = -1;
	if (ret)
		return EXIT_FAILED;
	if (!c->bytes)
		program_say("no call of %s", *c->functions);
	if (c->lost)
		program_say("%" PRIu64 " calls and returns were lost: the buffers were full; "
			    "--buffer makes them larger, --depth leaves out inner calls",
			c->lost);
	return c->bytes && !c->lost ? EXIT_OK : EXIT_PARTIAL;
}

int main(int argc, char **argv)
{
	struct graph_command c = {.request.buffer = BUFFER_KB, .command.gate = -1};
	struct strbuf err = STRBUF_INIT;
	int ret;

	program_init();
	arg_parse(&program, argc, argv, &c);
	c.request.functions = c.functions;
	c.request.nr_functions = c.nr_functions;
	if (output_file_check(&c.output))
		return program_end(EXIT_FAILED);
	program_catch_signals();
	ret = run(&c, &err);
	program_say_rest(&err);
	command_release(&c.command);
	return program_end(ret);
}
