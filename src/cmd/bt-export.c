/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"

typedef int export(const struct profile *p, FILE *out, struct strbuf *err);

/* The formats, and the endings of files for which they are the default. */
static const struct {
	export *export;
	const char *ending;
} formats[] = {{NULL}, {view_pprof, ".pb.gz"}, {view_speedscope, ".speedscope.json"},
	{view_firefox, ".firefox.json"}, {view_folded, ".folded"}, {view_otlp, ".otlp"}};

struct export_command {
	struct view_args args;
	unsigned format; /* index in formats; 0 if none is given yet */
};

#define FORMAT(index)                                                                              \
	arg_choice, ARG_AT(struct export_command, format),                                         \
		.choice = index, .use = "--pprof, --speedscope, --firefox, --folded and --otlp"

static const struct arg_option options[] = {
	{"pprof", 0, NULL, "For pprof: its profile.proto, compressed; default for -o FILE.pb.gz", 1,
		FORMAT(1)},
	{"speedscope", 0, NULL, "For speedscope: JSON; default for -o FILE.speedscope.json", 1,
		FORMAT(2)},
	{"firefox", 0, NULL,
		"For the Firefox profiler: JSON with threads and time; default for -o "
		"FILE.firefox.json",
		1, FORMAT(3)},
	{"folded", 0, NULL, "Folded stacks, as bt-collapse writes them; default for -o FILE.folded",
		1, FORMAT(4)},
	{"otlp", 0, NULL,
		"For OpenTelemetry: the profiles of OTLP 1.11, as protobuf; default for -o "
		"FILE.otlp",
		1, FORMAT(5)},
	{0},
};

static void settle(void *input)
{
	struct export_command *o = input;
	struct recording_view *view = &o->args.input.view;

	for (unsigned i = 1; i < ARRAY_LEN(formats) && !o->format; i++)
		if (output_file_ends(&o->args.output, formats[i].ending))
			o->format = i;
	if (!o->format)
		arg_error("no format: give --pprof, --speedscope, --firefox, --folded or --otlp");
	if (formats[o->format].export != view_folded)
		o->args.not_for_terminal = "-o FILE, or '>'";
	if (formats[o->format].export == view_firefox)
		view->threads = view->processes = view->times = true;
	view->label_sets = view->places =
		formats[o->format].export == view_pprof || formats[o->format].export == view_otlp;
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = "[FILE...]",
	.about = "Writes profiles (" VIEW_INPUTS "; default: stdin), added up, in the format of "
		 "another program, to stdout." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&tree_args, 0}, {&title_args, 0}, {0}},
};

static int write_out(void *command, struct profile *const *profiles, FILE *out)
{
	const struct export_command *o = command;

	formats[o->format].export(profiles[0], out, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct export_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	arg_parse(&program, argc, argv, &o);
	return program_end(view_args_run(&o.args, write_out, &o));
}
