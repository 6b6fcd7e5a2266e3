/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/pattern.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/quality.h"
#include "view/annotate/annotate.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"

#include <string.h>
#include <unistd.h>

enum { HOTTEST = 3 }; /* functions that are shown by default */

struct annotate_command {
	struct view_args args;
	struct function_match_list functions, files;
	unsigned top;
	bool instructions, intel, html, any_source;
	const char *source_path;
};

#define AT(member) ARG_AT(struct annotate_command, member)

static const struct arg_option options[] = {
	{"function", 'f', "FN",
		"The functions that FN, a pattern such as 'hash_*', matches (repeatable); default: "
		"the hottest",
		1, arg_function, AT(functions)},
	{"file", 0, "FILE",
		"The source files that FILE, a name such as app.py, a path or a pattern, matches, "
		"with all their functions (repeatable)",
		1, arg_function, AT(files)},
	{"number", 'n', "N",
		"The hottest N functions or files (3 functions; with --function or --file: all)", 1,
		arg_count, AT(top), 1, UINT32_MAX},
	{"asm", 0, NULL, "Instructions, under their source lines", 1, arg_flag, AT(instructions)},
	{"intel", 0, NULL, "Instructions in Intel's syntax, not AT&T's", 1, arg_flag, AT(intel)},
	{"html", 0, NULL, "As an HTML page; default for -o FILE.html and --open", 1, arg_flag,
		AT(html)},
	{"source-path", 0, "DIR[:DIR...]",
		"Directories with the source files, under the end of their recorded paths", 1,
		arg_text, AT(source_path), .use = "directories"},
	{"any-source", 0, NULL, "Show source files that were changed since, too", 1, arg_flag,
		AT(any_source)},
	{0},
};

static void refuse_files(const struct view_args *args)
{
	for (size_t i = 0; i < args->nr_files; i++)
		if (strcmp(args->files[i], "-") && access(args->files[i], F_OK) < 0)
			arg_error("more than one recording: '%s' is no file; use -f %s for a "
				  "function",
				args->files[i], args->files[i]);
	arg_error("more than one recording: '%s'", args->files[1]);
}

static void settle(void *input)
{
	struct annotate_command *o = input;
	const struct recording_view *view = &o->args.input.view;

	if (o->args.nr_files > 1)
		refuse_files(&o->args);
	if (view->by || view->comm || view->threads)
		arg_error("--by and --threads are for views with stacks");
	if (!o->top && !o->functions.nr && !o->files.nr)
		o->top = HOTTEST;
	if (o->args.output.open || output_file_ends(&o->args.output, ".html"))
		o->html = true;
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = "[FILE]",
	.about = "Shows the source lines or instructions of the functions in a recording (default: "
		 "stdin) with their samples, from the files on this machine." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&view_args, 0}, {&open_args, 0}, {&title_args, 0}, {0}},
};

/* ---- output ---- */

static int write_out(struct annotate_command *o, struct annotation *a)
{
	FILE *out = output_file_begin(&o->args.output);
	const char *title = o->args.title;

	if (!out)
		return -1;
	if (!title)
		title = recording_meta(a->rec, "heading");
	if (!title)
		title = recording_meta(a->rec, "title");
	if (o->html)
		annotate_html(a, title ? title : "Annotated functions", out, NULL);
	else
		annotate_text(a, o->instructions, out, NULL);
	return output_file_end(&o->args.output, true);
}

/* ---- the command ---- */

static struct annotate_options make_options(struct annotate_command *o)
{
	return (struct annotate_options){
		.view = o->args.input.view,
		.code = {.symbol = &o->args.input.symbol, .intel = o->intel},
		.source = {.symbol = &o->args.input.symbol,
			.folders = o->source_path,
			.any_age = o->any_source},
		.functions = &o->functions,
		.files = &o->files,
		.top = o->top,
	};
}

/* IS_PART means that only a part of the file could be read. */
static int annotate(struct annotate_command *o, struct recording *rec, bool is_part)
{
	struct annotate_options how = make_options(o);
	const struct recording_view *view = &how.view;
	struct strbuf notes = STRBUF_INIT;
	struct annotation a;
	bool part = is_part | recording_is_part(rec, &notes) |
		    !recording_has_selected(rec, view, &notes);

	symbol_resolve(rec, &o->args.input.symbol, NULL, &notes);
	part |= annotation_init(&a, rec, &how, &notes) > 0;
	program_say_lines(&notes);
	for (size_t i = 0; i < a.nr; i++)
		if (a.list[i].why)
			program_say("%s", a.list[i].why);
	int status = EXIT_FAILED;

	if (!write_out(o, &a)) {
		struct quality q;

		quality_init(&q, rec, view, NULL, false);
		status = view_args_judge_recording(&o->args, &q, (struct account_gap){0}, part);
		quality_release(&q);
	}

	annotation_release(&a);
	strbuf_release(&notes);
	return status;
}

int main(int argc, char **argv)
{
	struct annotate_command o = {.args = VIEW_ARGS_INIT};
	struct strbuf notes = STRBUF_INIT;
	int status = EXIT_FAILED, is_part;
	struct recording rec;

	program_init();
	o.args.output.ending = ".html";
	arg_parse(&program, argc, argv, &o);
	view_args_check_files(&o.args);
	o.args.input.symbol.inlines = o.args.input.symbol.lines = true;
	recording_init(&rec);
	is_part = input_read_recording(
		&rec, o.args.nr_files ? o.args.files[0] : "-", &o.args.input, &notes);
	program_say_rest(&notes);
	if (is_part >= 0)
		status = annotate(&o, &rec, is_part);
	recording_release(&rec);
	function_match_release_all(&o.functions);
	function_match_release_all(&o.files);
	label_filter_release(&o.args.labels);
	label_filter_release(&o.args.tasks);
	return program_end(status);
}
