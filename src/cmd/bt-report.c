/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/function_match.h"
#include "view/rules.h"

#include <string.h>

struct report_command {
	struct view_args args;
	struct report_options report;
	struct pattern fn;
	bool has_of, has_form;
	bool print_rules;
};

enum {
	OPT_SUMMARY = 256,
	OPT_CALLERS,
	OPT_CALLEES,
	OPT_CSV,
	OPT_TEXT,
	OPT_TOP,
	OPT_JSON,
	OPT_PRINT_RULES,
};

static const struct argp_option table[] = {
	{"summary", OPT_SUMMARY, NULL, 0, "Categories instead of functions", 1},
	{"callers", OPT_CALLERS, "FN", 0,
		"Who calls the functions that FN, a pattern such as 'malloc*', matches", 1},
	{"callees", OPT_CALLEES, "FN", 0, "What the functions that FN matches call", 1},
	{"csv", OPT_CSV, NULL, 0,
		"As CSV (default, except for callers and callees; and for -o FILE.csv)", 1},
	{"text", OPT_TEXT, NULL, 0,
		"As a text table (default for callers and callees, and for -o FILE.txt)", 1},
	{"top", OPT_TOP, "N", 0, "As a text table, its first N lines", 1},
	{"json", OPT_JSON, NULL, 0,
		"As JSON, with total, unit and account; default for -o FILE.json", 1},
	{"print-rules", OPT_PRINT_RULES, NULL, 0, "Print the built-in rules, nothing else", 1},
	{0},
};

static void set_of(struct report_command *o, enum report_of of, struct argp_state *state)
{
	if (o->has_of)
		arg_error(state, "give only one of --summary, --by, --callers and --callees, once");
	o->report.of = of;
	o->has_of = true;
}

static void set_calls(
	struct report_command *o, enum report_of of, const char *fn, struct argp_state *state)
{
	set_of(o, of, state);
	if (!*fn || pattern_init(&o->fn, fn, strlen(fn)))
		arg_invalid(
			of == REPORT_CALLERS ? "--callers" : "--callees", fn, ARG_PATTERN, state);
	o->report.fn = &o->fn;
}

/* Groups by a word, or else by the key of a label. */
static void set_by(struct report_command *o, const char *arg, struct argp_state *state)
{
	static const char label[] = "label:";

	o->args.input.view.by = NULL;
	set_of(o, !strcmp(arg, "category") ? REPORT_CATEGORIES : REPORT_GROUPS, state);
	if (o->report.of == REPORT_CATEGORIES)
		return;
	o->report.by = report_by_of(arg);
	if (o->report.by != BY_LABEL)
		return;
	o->report.key = begins_with(arg, strlen(arg), label) ? arg + strlen(label) : arg;
	arg_text("--by", o->report.key, "label:KEY with the key of a label", state);
}

/* Requests the parts of the input that the groups need. */
static void read_for_groups(struct report_command *o, struct argp_state *state)
{
	struct recording_view *view = &o->args.input.view;

	switch (o->report.by) {
	case BY_FILE:
	case BY_LINE:
		o->args.input.symbol.lines = view->lines = view->paths = true;
		break;
	case BY_PROCESS:
		view->processes = true;
		view->comm = view->threads = false;
		break;
	case BY_THREAD:
		view->threads = true;
		break;
	case BY_LABEL:
		view->by = o->report.key;
		view->keep_labels = true;
		break;
	case BY_FUNCTION:
	case BY_MODULE:
		return;
	}
	if (o->report.by >= BY_PROCESS && o->args.filter.nr_skip_after)
		arg_error(state, "--skip-after removes what --by needs: leave one of them out");
}

static void set_form(struct report_command *o, enum report_form form, struct argp_state *state)
{
	if (o->has_form && o->report.form != form)
		arg_error(state, "give only one of --csv, --json, --text and --top");
	o->report.form = form;
	o->has_form = true;
}

static enum report_form default_form(const struct report_command *o)
{
	if (output_file_ends(&o->args.output, ".csv"))
		return REPORT_CSV;
	if (output_file_ends(&o->args.output, ".json"))
		return REPORT_JSON;
	return o->report.fn || output_file_ends(&o->args.output, ".txt") ? REPORT_TEXT : REPORT_CSV;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_command *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->args.rules;
		state->child_inputs[2] = &o->args;
		break;
	case OPT_SUMMARY:
		set_of(o, REPORT_CATEGORIES, state);
		break;
	case OPT_CALLERS:
		set_calls(o, REPORT_CALLERS, arg, state);
		break;
	case OPT_CALLEES:
		set_calls(o, REPORT_CALLEES, arg, state);
		break;
	case OPT_CSV:
		set_form(o, REPORT_CSV, state);
		break;
	case OPT_TEXT:
		set_form(o, REPORT_TEXT, state);
		break;
	case OPT_TOP:
		set_form(o, REPORT_TEXT, state);
		o->report.top = (unsigned)arg_count("--top", arg, 1, UINT32_MAX, state);
		break;
	case OPT_JSON:
		set_form(o, REPORT_JSON, state);
		break;
	case OPT_PRINT_RULES:
		o->print_rules = true;
		break;
	case ARGP_KEY_SUCCESS:
		if (!o->has_form)
			o->report.form = default_form(o);
		if (o->args.input.view.by)
			set_by(o, o->args.input.view.by, state);
		read_for_groups(o, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = "[FILE...]",
	.doc = "Reports how the weight of profiles (" VIEW_INPUTS
	       "; default: stdin) spreads over functions, to stdout: as profile.csv, heaviest "
	       "first, or in another format.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp},
		{.argp = &rules_args_argp}, {.argp = &title_args_argp}, {0}},
};

/* Restores the original direction of the stacks of a reversed graph. */
static int turn(struct profile *p)
{
	struct strbuf err = STRBUF_INIT;
	int ret = filter_turn(p, &err);

	program_say_lines(&err);
	strbuf_release(&err);
	if (!ret)
		profile_finish(p);
	return ret;
}

static int write_report(void *command, struct profile *const *profiles, FILE *out)
{
	struct report_command *o = command;
	struct strbuf notes = STRBUF_INIT;

	if (profiles[0]->reversed && turn(profiles[0]) < 0)
		return -1;
	bool missing = o->report.fn && !function_is_there(profiles, 1, &o->fn, &notes);

	program_say_lines(&notes);
	strbuf_release(&notes);
	o->report.rules = o->args.rules.rules;
	view_report(profiles[0], &o->report, out, NULL);
	return missing;
}

int main(int argc, char **argv)
{
	struct report_command o = {.args = VIEW_ARGS_INIT};

	o.args.by_help = "A table by KEY: module, file or line (of the source), process, thread, "
			 "category, or the key of a label (label:KEY if it is one of these words)";

	program_init();
	arg_parse(&argp, argc, argv, 0, &o);
	o.args.filter.reverse = false; /* the tables are the same in both directions */
	int status = o.print_rules ? view_args_print(&o.args, rules_text)
				   : view_args_run(&o.args, write_report, &o);

	pattern_release(&o.fn);
	return program_end(status);
}
