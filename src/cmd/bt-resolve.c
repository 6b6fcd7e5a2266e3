/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "input/fleet_program.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/fetch/package.h"
#include "symbol/names/demangle_profile.h"
#include "symbol/quality.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"

struct resolve_command {
	struct view_args args;
	bool bt, missing;
	enum { TABLE_TEXT, TABLE_CSV, TABLE_JSON } table;
};

#define AT(member) ARG_AT(struct resolve_command, member)

static const struct arg_option options[] = {
	{"bt", 0, NULL,
		"Backtraces as stap scripts print them, heaviest first; --by, --threads and "
		"what selects samples apply only to these",
		1, arg_flag, AT(bt)},
	{"missing", 0, NULL, "Which files lack names, why, and how to fix it, as a text table", 1,
		arg_flag, AT(missing)},
	{"csv", 0, NULL, "With --missing: all files, as CSV", 1, arg_choice, AT(table),
		.choice = TABLE_CSV},
	{"json", 0, NULL, "With --missing: all files, as JSON", 1, arg_choice, AT(table),
		.choice = TABLE_JSON},
	{0},
};

static void settle(void *input)
{
	const struct resolve_command *o = input;

	if (o->args.nr_files > 1)
		arg_error("more than one recording: '%s'", o->args.files[1]);
	if (o->table && !o->missing)
		arg_error("--csv and --json need --missing");
	if (o->bt && o->missing)
		arg_error("give only one of --bt and --missing");
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = "[FILE]",
	.about = "Resolves the addresses in a recording (default: stdin) to names, from the "
		 "files on this machine, and writes the recording with them, or what is "
		 "missing, to stdout." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&view_args, 0}, {&title_args, 0}, {0}},
};

static void write_result(const struct resolve_command *o, struct recording *rec, FILE *out)
{
	enum demangle how = o->args.input.symbol.demangle;
	struct recording_view view = o->args.input.view;

	view.comm |= recording_has_several_processes(rec, &view);
	if (o->bt) {
		view_bt(rec, &view, how, out, NULL);
		return;
	}
	if (o->args.input.symbol.has_demangle) /* by default, the views do this */
		demangle_recording(rec, how);
	recording_write(rec, out, NULL);
}

static void write_missing(const struct resolve_command *o, struct quality *q, FILE *out)
{
	const struct packages packages = packages_of(NULL);

	quality_explain(q, &o->args.input.symbol, &packages, debuginfod_has_servers());
	if (o->table == TABLE_CSV)
		quality_csv(q, out, NULL);
	else if (o->table == TABLE_JSON)
		quality_json(q, out, NULL);
	else
		quality_text(q, terminal_columns(out, 100), out, NULL);
}

/* The table of --missing says what gives a module names. */
static struct account_gap gap_of(const struct resolve_command *o, const struct quality *q)
{
	return (struct account_gap){
		.module = q->nr ? q->list[0].path : NULL, .remedy = o->missing ? "" : NULL};
}

/* Writes REC, whose names are resolved, in the requested format. */
static int write_out(struct resolve_command *o, struct recording *rec,
	const struct symbol_report *report, bool part)
{
	const struct recording_view *view = &o->args.input.view;
	FILE *out = output_file_begin(&o->args.output);
	int status = EXIT_FAILED;
	struct quality q;

	if (!out)
		return EXIT_FAILED;
	if (!o->missing)
		write_result(o, rec, out);
	quality_init(&q, rec, view, report, o->args.input.symbol.lines);
	if (o->missing)
		write_missing(o, &q, out);
	if (!output_file_end(&o->args.output, true))
		status = view_args_judge_recording(&o->args, &q, gap_of(o, &q), part);
	quality_release(&q);
	return status;
}

/*
 * Stores the names that were found on the servers that the recording is from, for all who ask them
 * later. The output is what was stored.
 */
static void store_names(const struct resolve_command *o, const struct recording *rec)
{
	const char *url = o->args.nr_files ? o->args.files[0] : "";
	struct strbuf err = STRBUF_INIT;

	if (fleet_program_takes(url) && !o->missing && fleet_program_store(url, rec, &err))
		strbuf_adds(&err, "the names are not stored\n");
	program_say_rest(&err);
}

static int run(struct resolve_command *o)
{
	struct symbol_options symbol = o->args.input.symbol;
	struct symbol_report report = {0};
	struct strbuf notes = STRBUF_INIT;
	int status = EXIT_FAILED, part;
	struct recording rec;

	if (o->missing && !symbol_needs_debuginfo(&symbol)) /* the table shows the share of lines */
		symbol.lines = symbol.optional = true;
	recording_init(&rec);
	part = input_read_recording(
		&rec, o->args.nr_files ? o->args.files[0] : "-", &o->args.input, &notes);
	if (part >= 0) {
		part |= recording_is_part(&rec, &notes) |
			!recording_has_selected(&rec, &o->args.input.view, &notes);
		if (!rec.complete &&
			!recording_meta(&rec, "incomplete")) /* the output has an end record */
			recording_add_meta(&rec, "incomplete", "yes");
		if (o->args.title)
			recording_set_meta(&rec, "heading", o->args.title);
		symbol_resolve(&rec, &symbol, &report, &notes);
		store_names(o, &rec);
	}
	program_say_rest(&notes);
	if (part >= 0)
		status = write_out(o, &rec, &report, part);
	symbol_report_release(&report);
	recording_release(&rec);
	return status;
}

int main(int argc, char **argv)
{
	struct resolve_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	arg_parse(&program, argc, argv, &o);
	view_args_check_files(&o.args);
	int status = run(&o);

	label_filter_release(&o.args.labels);
	label_filter_release(&o.args.tasks);
	return program_end(status);
}
