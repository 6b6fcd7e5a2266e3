/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/args/flame_args.h"
#include "view/args/output_args.h"
#include "view/diff/diff.h"
#include "view/diff/diff_functions.h"
#include "view/diff/diff_limit.h"
#include "view/diff/diff_modules.h"
#include "view/diff/diff_report.h"

#include <stdlib.h>
#include <string.h>

enum form { FORM_SVG, FORM_CSV, FORM_TOP, FORM_JSON };

struct diff_command {
	struct view_args args;
	struct flame_options flame;
	enum form form;
	bool has_form;
	unsigned top;
	bool normalize, negate;
	uint64_t fail_above; /* hundredths of per cent */
	bool has_fail_above;
	struct output_file junit;
	bool above; /* the result: the limit is exceeded */
};

enum {
	OPT_CSV = 256,
	OPT_TOP,
	OPT_JSON,
	OPT_NORMALIZE,
	OPT_NEGATE,
	OPT_FAIL_ABOVE,
	OPT_JUNIT,
};

static const struct argp_option table[] = {
	{"csv", OPT_CSV, NULL, 0, "Functions before and after, as CSV; default for -o FILE.csv", 1},
	{"top", OPT_TOP, "N", 0, "The N functions that changed most, as a text table", 1},
	{"json", OPT_JSON, NULL, 0, "Totals and functions, as JSON; default for -o FILE.json", 1},
	{"normalize", OPT_NORMALIZE, NULL, 0, "Compare shares of the totals, not weights", 1},
	{"negate", OPT_NEGATE, NULL, 0, "Swap BEFORE and AFTER", 1},
	{"fail-above", OPT_FAIL_ABOVE, "PCT", 0,
		"Exit with 3 if a function's share rose by more than PCT percentage points or, "
		"without --normalize, the total by more than PCT per cent",
		1},
	{"junit", OPT_JUNIT, "FILE", 0,
		"With --fail-above: write what rose above it as JUnit's XML, too", 1},
	{0},
};

static void set_form(struct diff_command *o, enum form form, struct argp_state *state)
{
	if (o->has_form && o->form != form)
		arg_error(state, "give only one of --csv, --json and --top");
	o->form = form;
	o->has_form = true;
}

static void settle_files(struct diff_command *o, struct argp_state *state)
{
	char **files = o->args.files;

	if (o->args.nr_files != 2)
		arg_error(state, "give two files, BEFORE and AFTER");
	if (!strcmp(files[0], "-") && !strcmp(files[1], "-"))
		arg_error(state, "only one of the files can be standard input");
	if (o->negate) {
		char *after = files[0];

		files[0] = files[1];
		files[1] = after;
	}
}

static void check_options(struct diff_command *o, struct argp_state *state)
{
	if (!o->has_form && output_file_ends(&o->args.output, ".csv"))
		o->form = FORM_CSV;
	if (!o->has_form && output_file_ends(&o->args.output, ".json"))
		o->form = FORM_JSON;
	if (o->args.output.open && o->form != FORM_SVG)
		arg_error(state, "--open is for the graph: leave out --csv, --json and --top");
	if (o->junit.path && !o->has_fail_above)
		arg_error(state, "--junit needs --fail-above");
	if (o->junit.path && output_file_is_stdout(&o->junit) &&
		output_file_is_stdout(&o->args.output))
		arg_error(state, "--junit=-: stdout has the comparison; name a file, or give -o");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff_command *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->args.rules;
		state->child_inputs[2] = &o->flame;
		state->child_inputs[3] = &o->args.output;
		state->child_inputs[4] = &o->args;
		break;
	case ARGP_KEY_END:
		o->args.compares = true;
		settle_files(o, state);
		check_options(o, state);
		break;
	case OPT_CSV:
		set_form(o, FORM_CSV, state);
		break;
	case OPT_TOP:
		set_form(o, FORM_TOP, state);
		o->top = (unsigned)arg_count("--top", arg, 1, UINT32_MAX, state);
		break;
	case OPT_JSON:
		set_form(o, FORM_JSON, state);
		break;
	case OPT_NORMALIZE:
		o->normalize = true;
		break;
	case OPT_NEGATE:
		o->negate = true;
		break;
	case OPT_FAIL_ABOVE:
		o->fail_above = arg_hundredths("--fail-above", arg, state);
		o->has_fail_above = true;
		break;
	case OPT_JUNIT:
		o->junit.path = arg_text("--junit", arg, "the name of a file", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = "BEFORE AFTER",
	.doc = "Compares two profiles (" VIEW_INPUTS
	       ") and draws what changed, as one interactive flame graph, an SVG file, on stdout "
	       "or in the file of -o.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp},
		{.argp = &rules_args_argp}, {.argp = &flame_args_argp}, {.argp = &open_args_argp},
		{.argp = &title_args_argp}, {0}},
};

static const char *shown(const char *path)
{
	return strcmp(path, "-") ? file_name(path) : "stdin";
}

/* Appends "before: a.rec, 1302 samples; after: b.rec, 1466 samples". */
static void add_subtitle(
	struct strbuf *out, const struct diff_command *o, struct profile *const *sides)
{
	for (int i = 0; i < 2; i++) {
		strbuf_addf(out, "%s: %s, ", i ? "; after" : "before", shown(o->args.files[i]));
		strbuf_addu(out, sides[i]->nodes[0].total);
		strbuf_addf(out, " %s", sides[i]->unit);
	}
	if (o->normalize)
		strbuf_adds(out, "; shares are compared");
}

static void draw(const struct diff_command *o, struct profile *const *sides, FILE *out)
{
	struct flame_options flame = o->flame;
	struct strbuf subtitle = STRBUF_INIT;
	struct diff diff;

	flame.title = o->args.title;
	if (!flame.subtitle) {
		add_subtitle(&subtitle, o, sides);
		flame.subtitle = subtitle.buf;
	}
	diff_init(&diff, sides[0], sides[1], o->normalize);
	view_flame_diff(&diff, &flame, out, NULL);
	diff_release(&diff);
	strbuf_release(&subtitle);
}

static void write_table(const struct diff_command *o, const struct diff_limit *limit,
	struct profile *const *sides, FILE *out)
{
	struct diff_functions f;

	diff_functions_init(&f, sides[0], sides[1], o->normalize, o->flame.rules);
	if (o->form == FORM_CSV)
		diff_report_csv(&f, out, NULL);
	else if (o->form == FORM_TOP)
		diff_report_top(&f, o->top, out, NULL);
	else
		diff_report_json(&f, limit, out, NULL);
	diff_functions_release(&f);
}

static int write_junit(struct diff_command *o, const struct diff_limit *limit)
{
	FILE *out = o->junit.path ? output_file_begin(&o->junit) : NULL;

	if (!out)
		return o->junit.path ? -1 : 0;
	diff_limit_junit(limit, out, NULL);
	return output_file_end(&o->junit, true);
}

/* LIMIT is NULL without --fail-above. */
static int write_all(struct diff_command *o, const struct diff_limit *limit,
	struct profile *const *sides, FILE *out)
{
	struct strbuf lines = STRBUF_INIT;

	if (o->form == FORM_SVG)
		draw(o, sides, out);
	else
		write_table(o, limit, sides, out);
	if (!limit)
		return 0;
	o->above = diff_limit_is_exceeded(limit);
	diff_limit_lines(limit, &lines);
	program_say_lines(&lines);
	strbuf_release(&lines);
	return write_junit(o, limit);
}

/* The limit applies to whole functions, independently of their categories. */
static int write_with_limit(struct diff_command *o, struct profile *const *sides, FILE *out)
{
	struct diff_functions f;
	struct diff_limit limit;

	diff_functions_init_whole(&f, sides[0], sides[1], o->normalize);
	diff_limit_init(&limit, &f, o->fail_above);
	int ret = write_all(o, &limit, sides, out);

	diff_limit_release(&limit);
	diff_functions_release(&f);
	return ret;
}

static void set_unit(struct profile *p, const struct profile *other)
{
	if (!p->nodes[0].total)
		profile_set(&p->unit, other->unit);
}

/* Returns -1 with a message if units, events or directions differ. */
static int check_counts(const struct diff_command *o, struct profile *const *sides)
{
	set_unit(sides[0], sides[1]);
	set_unit(sides[1], sides[0]);

	const char *counts = profile_differs(sides[0], sides[1]);

	if (sides[0]->reversed != sides[1]->reversed) {
		program_say("the stacks of '%s' begin at the leaf, the others at the root: they "
			    "cannot be compared",
			shown(o->args.files[sides[0]->reversed ? 0 : 1]));
		return -1;
	}
	if (!counts)
		return 0;
	program_say("'%s' is in %s and '%s' in %s: they cannot be compared",
		shown(o->args.files[0]), counts, shown(o->args.files[1]),
		profile_differs(sides[1], sides[0]));
	return -1;
}

static int compare(void *command, struct profile *const *sides, FILE *out)
{
	struct diff_command *o = command;
	struct strbuf notes = STRBUF_INIT;

	if (check_counts(o, sides) < 0)
		return -1;
	diff_match_modules(sides[0], sides[1], &notes);
	program_say_lines(&notes);
	strbuf_release(&notes);
	o->flame.rules = o->args.rules.rules;
	return o->has_fail_above ? write_with_limit(o, sides, out) : write_all(o, NULL, sides, out);
}

int main(int argc, char **argv)
{
	struct diff_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	o.args.output.ending = ".svg";
	arg_parse(&argp, argc, argv, 0, &o);
	if (output_file_check(&o.junit))
		return EXIT_FAILED;
	int status = view_args_run(&o.args, compare, &o);

	return program_end(o.above && status != EXIT_FAILED ? EXIT_ABOVE : status);
}
