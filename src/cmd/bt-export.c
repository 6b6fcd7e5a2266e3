/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/export/export_code.h"

typedef int export(const struct profile *p, FILE *out, struct strbuf *err);

enum format {
	FORMAT_NONE, /* none is given yet */
	FORMAT_PPROF,
	FORMAT_SPEEDSCOPE,
	FORMAT_FIREFOX,
	FORMAT_FOLDED,
	FORMAT_OTLP,
	FORMAT_AUTOFDO,
	FORMAT_BOLT,
};

/* The formats, and the endings of files for which they are the default. */
static const struct {
	export *export;          /* of stacks */
	export_of_code *of_code; /* of the code of one file */
	const char *ending;
} formats[] = {
	[FORMAT_PPROF] = {view_pprof, NULL, ".pb.gz"},
	[FORMAT_SPEEDSCOPE] = {view_speedscope, NULL, ".speedscope.json"},
	[FORMAT_FIREFOX] = {view_firefox, NULL, ".firefox.json"},
	[FORMAT_FOLDED] = {view_folded, NULL, ".folded"},
	[FORMAT_OTLP] = {view_otlp, NULL, ".otlp"},
	[FORMAT_AUTOFDO] = {NULL, export_autofdo, ".afdo"},
	[FORMAT_BOLT] = {NULL, export_bolt, ".preagg"},
};

struct export_command {
	struct view_args args;
	unsigned format; /* enum format */
};

#define FORMAT(which)                                                                              \
	arg_choice, ARG_AT(struct export_command, format),                                         \
		.choice = which,                                                                   \
		.use = "--pprof, --speedscope, --firefox, --folded, --otlp, --autofdo and --bolt"

static const struct arg_option options[] = {
	{"pprof", 0, NULL, "For pprof: its profile.proto, compressed; default for -o FILE.pb.gz", 1,
		FORMAT(FORMAT_PPROF)},
	{"speedscope", 0, NULL,
		"For speedscope: JSON with threads and time; default for -o "
		"FILE.speedscope.json",
		1, FORMAT(FORMAT_SPEEDSCOPE)},
	{"firefox", 0, NULL,
		"For the Firefox profiler: JSON with threads and time; default for -o "
		"FILE.firefox.json",
		1, FORMAT(FORMAT_FIREFOX)},
	{"folded", 0, NULL, "Folded stacks, as bt-collapse writes them; default for -o FILE.folded",
		1, FORMAT(FORMAT_FOLDED)},
	{"otlp", 0, NULL,
		"For OpenTelemetry: the profiles of OTLP 1.11, as protobuf; default for -o "
		"FILE.otlp",
		1, FORMAT(FORMAT_OTLP)},
	{"autofdo", 0, NULL,
		"For clang -fprofile-sample-use: the counts of one file's source lines, as text "
		"(recordings, perf.data); default for -o FILE.afdo",
		1, FORMAT(FORMAT_AUTOFDO)},
	{"bolt", 0, NULL,
		"For perf2bolt -pa: the branches or samples of one file's addresses, as text "
		"(recordings, perf.data); default for -o FILE.preagg",
		1, FORMAT(FORMAT_BOLT)},
	{0},
};

static void settle_of_code(struct export_command *o)
{
	const struct filter *filter = &o->args.filter;
	const struct recording_view *view = &o->args.input.view;

	if (o->args.nr_files > 1)
		arg_error("more than one file for --autofdo or --bolt: '%s'", o->args.files[1]);
	if (filter->only.nr || filter->exclude.nr || filter->skip_after.nr || filter->skid ||
		filter->reverse || view->by || view->comm || view->threads || view->processes)
		arg_error("--autofdo and --bolt have no stacks, which --only, --exclude, "
			  "--skip-after, --skid, --reverse, --by and --threads are for");
	o->args.input.of_code = true;
	o->args.input.symbol.inlines = o->args.input.symbol.lines = true;
}

static void settle(void *input)
{
	struct export_command *o = input;
	struct recording_view *view = &o->args.input.view;

	for (unsigned i = 1; i < ARRAY_LEN(formats) && !o->format; i++)
		if (output_file_ends(&o->args.output, formats[i].ending))
			o->format = i;
	if (!o->format)
		arg_error("no format: give --pprof, --speedscope, --firefox, --folded, --otlp, "
			  "--autofdo or --bolt");
	if (formats[o->format].of_code) {
		settle_of_code(o);
		return;
	}
	if (o->format != FORMAT_FOLDED)
		o->args.not_for_terminal = "-o FILE, or '>'";
	if (o->format == FORMAT_FIREFOX)
		view->threads = view->processes = view->times = true;
	/* The times of several recordings, and of the values of a label, are not comparable. */
	view->timeline = o->format == FORMAT_SPEEDSCOPE && o->args.nr_files <= 1 && !view->by &&
			 !o->args.filter.reverse;
	view->label_sets = view->places = o->format == FORMAT_PPROF || o->format == FORMAT_OTLP;
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

/* ---- profiles of code ---- */

/* Exports the part of REC that the options select. IS_PART means that REC is not all of its file.
 */
static int export_rec(struct export_command *o, const struct recording *rec, bool is_part)
{
	struct recording_view view = o->args.input.view;
	const struct export_code_options how = {
		.view = &view,
		.symbol = &o->args.input.symbol,
		.modules = &o->args.filter.modules,
	};
	struct strbuf notes = STRBUF_INIT;
	struct export_code code;
	int status = EXIT_FAILED;
	FILE *out;

	recording_leave_out_asleep(rec, &view);
	is_part |= recording_is_part(rec, &notes) | !recording_has_selected(rec, &view, &notes);
	if (!input_choose_event(rec, o->args.input.event, &view, &notes)) {
		int failed = export_code_init(&code, rec, &how, &notes);

		program_say_lines(&notes);
		strbuf_reset(&notes);
		if (!failed && (out = output_file_begin(&o->args.output))) {
			is_part |= formats[o->format].of_code(&code, out, &notes);
			if (!output_file_end(&o->args.output, true))
				status = is_part ? EXIT_PARTIAL : EXIT_OK;
		}
		export_code_release(&code);
	}
	program_say_rest(&notes);
	return status;
}

static int export_file(struct export_command *o)
{
	struct strbuf notes = STRBUF_INIT;
	struct recording rec;
	int status = EXIT_FAILED;

	view_args_check_files(&o->args);
	recording_init(&rec);
	int is_part = input_read_recording(
		&rec, o->args.nr_files ? o->args.files[0] : "-", &o->args.input, &notes);

	program_say_rest(&notes);
	if (is_part >= 0)
		status = export_rec(o, &rec, is_part);
	recording_release(&rec);
	filter_release(&o->args.filter);
	label_filter_release(&o->args.labels);
	label_filter_release(&o->args.tasks);
	return status;
}

int main(int argc, char **argv)
{
	struct export_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	arg_parse(&program, argc, argv, &o);
	return program_end(formats[o.format].of_code ? export_file(&o)
						     : view_args_run(&o.args, write_out, &o));
}
