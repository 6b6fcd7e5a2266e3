/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet_url.h"
#include "input/fleet_program.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/diff/diff.h"
#include "view/diff/diff_functions.h"
#include "view/diff/diff_limit.h"
#include "view/diff/diff_report.h"
#include "view/diff/diff_runs.h"
#include "view/diff/diff_sides.h"

#include <stdlib.h>
#include <string.h>

enum form { FORM_SVG, FORM_CSV, FORM_TEXT, FORM_JSON }; /* SVG if no other is given */

struct diff_command {
	struct view_args args;
	struct flame_options flame;
	enum form form;
	unsigned top;
	bool normalize, negate, no_inlines;
	struct diff_limits limits;
	const char *work_arg;
	double *work; /* of each file, or NULL */
	struct output_file junit;
	bool above, too_few; /* the result: a limit is exceeded; there are too few samples */
};

/* Functions that a comparison with limits shows if no form is asked for: a log is no place for a
 * graph. */
enum { GATE_TOP = 10 };

#define AT(member) ARG_AT(struct diff_command, member)
#define FORM(which) arg_choice, AT(form), .use = FORMS, .choice = which
#define FORMS "--csv, --json and --text"

static const struct arg_option options[] = {
	{"csv", 0, NULL, "Functions before and after, as CSV; default for -o FILE.csv", 1,
		FORM(FORM_CSV)},
	{"text", 0, NULL, "The functions that changed, the most changed first, as a text table", 1,
		FORM(FORM_TEXT)},
	{"top", 0, "N", "The N functions that changed most, as a text table", 1, arg_count, AT(top),
		1, UINT32_MAX},
	{"json", 0, NULL, "Totals and functions, as JSON; default for -o FILE.json", 1,
		FORM(FORM_JSON)},
	{"normalize", 0, NULL, "Compare shares of the totals, not weights", 1, arg_flag,
		AT(normalize)},
	{"no-inlines", 0, NULL, "Count inlined functions as part of their callers", 1, arg_flag,
		AT(no_inlines)},
	{"negate", 0, NULL, "Swap BEFORE and AFTER", 1, arg_flag, AT(negate)},
	{"fail-above", 0, "PCT",
		"Exit with 3 if a function's share rose by more than PCT percentage points or, "
		"without --normalize, the total by more than PCT per cent",
		1, arg_hundredths, AT(limits.rise)},
	{"fail-growth", 0, "PCT",
		"Exit with 3 if a function's share grew by more than PCT per cent of what it was, "
		"and is 1 % of the total or more",
		1, arg_hundredths, AT(limits.growth)},
	{"work", 0, "N[,N...]",
		"With --fail-above: compare the total of a run divided by the work that it did, "
		"such as its requests: one number for all runs, one before and one after, or one "
		"for each file",
		1, arg_text, AT(work_arg), .use = "numbers above 0, separated by commas"},
	{"junit", 0, "FILE",
		"With --fail-above or --fail-growth: write what rose above it as JUnit's XML, too",
		1, arg_text, AT(junit.path), .use = "the name of a file"},
	{0},
};

static bool has_limit(const struct diff_command *o)
{
	return o->limits.rise != DIFF_NO_LIMIT || o->limits.growth != DIFF_NO_LIMIT;
}

static bool is_stdin(const char *path)
{
	return !strcmp(path, "-");
}

/* Moves the first N of the NR files to the end. */
static void rotate(char **files, size_t n, size_t nr)
{
	for (; n; n--) {
		char *first = files[0];

		memmove(files, files + 1, (nr - 1) * sizeof(*files));
		files[nr - 1] = first;
	}
}

/* Reads the next number of ARG from *S. */
static double next_work(const char *arg, const char **s)
{
	size_t len = strcspn(*s, ",");
	double work = 0;

	if (!parse_decimal(*s, len, &work) || work <= 0)
		arg_error("invalid --work '%s': use numbers above 0, separated by commas", arg);
	*s += len + ((*s)[len] == ',' && (*s)[len + 1]);
	return work;
}

/* Gives each file its work. BEFORE is the number of files before, in the order of the arguments. */
static void settle_work(struct diff_command *o, size_t before)
{
	size_t nr_files = o->args.nr_files, nr = 1;
	double *work = xcalloc(nr_files, sizeof(*work));
	const char *s = o->work_arg;

	for (const char *c = s; *c; c++)
		nr += *c == ',';
	if (nr > 2 && nr != nr_files)
		arg_error("--work has %zu numbers: give one for all runs, one before and one "
			  "after, or one for each of the %zu files",
			nr, nr_files);
	for (size_t i = 0; i < nr; i++)
		work[i] = next_work(o->work_arg, &s);
	o->work = xcalloc(nr_files, sizeof(*o->work));
	for (size_t i = 0; i < nr_files; i++) {
		size_t file = o->negate ? (i + before) % nr_files : i;

		o->work[i] = work[nr == 1 ? 0 : nr == nr_files ? file : file >= before];
	}
	free(work);
}

static void settle_files(struct diff_command *o)
{
	struct view_args *args = &o->args;
	size_t nr_stdin = 0;

	args->nr_before = args->nr_quoted ? args->nr_files - args->nr_quoted : 1;
	if (!args->nr_quoted && args->nr_files != 2)
		arg_error(
			"give two files, BEFORE and AFTER, or several runs: BEFORE... -- AFTER...");
	if (!args->nr_before)
		arg_error("give the files of the runs before in front of --");
	for (size_t i = 0; i < args->nr_files; i++)
		nr_stdin += is_stdin(args->files[i]);
	if (nr_stdin > 1)
		arg_error("only one of the files can be standard input");
	if (o->work_arg)
		settle_work(o, args->nr_before);
	if (!o->negate)
		return;
	rotate(args->files, args->nr_before, args->nr_files);
	args->nr_before = args->nr_files - args->nr_before;
}

static void settle(void *input)
{
	struct diff_command *o = input;

	struct symbol_options *symbol = &o->args.input.symbol;

	if (!symbol_needs_debuginfo(symbol) && !o->no_inlines)
		symbol->inlines = symbol->optional = true;
	settle_files(o);
	if (o->top && o->form && o->form != FORM_TEXT)
		arg_error("--top is for the text table: leave out --csv and --json");
	if (o->top)
		o->form = FORM_TEXT;
	if (!o->form && output_file_ends(&o->args.output, ".csv"))
		o->form = FORM_CSV;
	if (!o->form && output_file_ends(&o->args.output, ".json"))
		o->form = FORM_JSON;
	if (!o->form && has_limit(o) && !o->args.output.path && !o->args.output.open) {
		o->form = FORM_TEXT;
		o->top = GATE_TOP;
	}
	if (!o->form)
		o->args.not_for_terminal =
			"-o FILE.svg or --open, or --top N for the functions that changed";
	if (o->args.output.open && o->form)
		arg_error("--open is for the graph: leave out --csv, --json, --text and --top");
	if (o->work && o->limits.rise == DIFF_NO_LIMIT)
		arg_error("--work needs --fail-above");
	if (o->junit.path && !has_limit(o))
		arg_error("--junit needs --fail-above or --fail-growth");
	if (o->junit.path && output_file_is_stdout(&o->junit) &&
		output_file_is_stdout(&o->args.output))
		arg_error("--junit=-: stdout has the comparison; name a file, or give -o");
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = "BEFORE AFTER\nBEFORE... -- AFTER...",
	.about = "Compares two profiles (" VIEW_INPUTS
		 ") and draws what changed, as one interactive flame graph, an SVG file, on stdout "
		 "or in the file of -o." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&tree_args, 0},
		{&rules_args, offsetof(struct diff_command, args.rules)},
		{&flame_args, offsetof(struct diff_command, flame)}, {&open_args, 0},
		{&title_args, 0}, {&names_args, 0}, {0}},
};

/* Returns what an input is called: a file's name, or what a URL selects. The caller frees it. */
static char *shown(const char *path)
{
	struct strbuf words = STRBUF_INIT;
	struct fleet_url url = {0};

	if (!fleet_program_takes(path))
		return xstrdup(is_stdin(path) ? "stdin" : file_name(path));
	if (fleet_url_parse(&url, path, NULL))
		strbuf_adds(&words, path);
	else
		fleet_url_words(&url, &words);
	fleet_url_release(&url);
	return words.buf;
}

/* Appends "before: a.rec, 1,302 samples", or "before: 3 runs, 34.09 MiB". */
static void add_side(
	struct strbuf *out, const char *name, char **files, size_t nr, const struct profile *side)
{
	char *one = shown(*files);

	strbuf_addf(out, "%s: ", name);
	if (nr > 1)
		strbuf_addf(out, "%zu runs", nr);
	else
		strbuf_adds(out, one);
	free(one);
	strbuf_adds(out, ", ");
	diff_sides_add_weight(out, side);
}

static void add_subtitle(
	struct strbuf *out, const struct diff_command *o, const struct diff_sides *sides)
{
	const struct view_args *args = &o->args;
	size_t nr = args->nr_before;

	add_side(out, "before", args->files, nr, sides->before);
	strbuf_adds(out, "; ");
	add_side(out, "after", args->files + nr, args->nr_files - nr, sides->after);
	if (o->normalize)
		strbuf_adds(out, "; shares are compared");
}

static void draw(const struct diff_command *o, const struct diff_sides *sides, FILE *out)
{
	struct flame_options flame = o->flame;
	struct strbuf subtitle = STRBUF_INIT;
	struct diff diff;

	flame.title = o->args.title;
	if (!flame.subtitle) {
		add_subtitle(&subtitle, o, sides);
		flame.subtitle = subtitle.buf;
	}
	diff_init(&diff, sides->before, sides->after, o->normalize);
	view_flame_diff(&diff, &flame, out, NULL);
	diff_release(&diff);
	strbuf_release(&subtitle);
}

static void write_table(const struct diff_command *o, const struct diff_limit *limit,
	const struct diff_sides *sides, FILE *out)
{
	struct diff_functions f;

	diff_functions_init(&f, sides->before, sides->after, o->normalize, o->flame.rules);
	if (o->form == FORM_CSV)
		diff_report_csv(&f, out, NULL);
	else if (o->form == FORM_TEXT)
		diff_report_top(
			&f, o->top ? o->top : UINT32_MAX, o->args.names == NAMES_SHORT, out, NULL);
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

/* LIMIT is NULL if there are no limits. */
static int write_all(struct diff_command *o, const struct diff_limit *limit,
	const struct diff_sides *sides, FILE *out)
{
	struct strbuf lines = STRBUF_INIT;

	if (o->form == FORM_SVG)
		draw(o, sides, out);
	else
		write_table(o, limit, sides, out);
	if (!limit)
		return 0;
	o->above = diff_limit_is_exceeded(limit);
	o->too_few = limit->too_few;
	diff_limit_lines(limit, &lines);
	program_say_rest(&lines);
	return write_junit(o, limit);
}

/* The limits apply to whole functions, independently of their categories. */
static int write_with_limit(struct diff_command *o, const struct diff_sides *sides, FILE *out)
{
	bool has_runs = sides->nr > 2;
	struct diff_functions f;
	struct diff_runs runs = {0};
	struct diff_work work;
	struct diff_limit limit;

	if (o->work)
		diff_work_init(&work, sides, o->work);
	diff_functions_init_whole(&f, sides->before, sides->after, o->normalize);
	if (has_runs)
		diff_runs_init(&runs, &f, sides);
	diff_limit_init(&limit, &f, has_runs ? &runs : NULL, o->work ? &work : NULL, o->limits);
	int ret = write_all(o, &limit, sides, out);

	diff_limit_release(&limit);
	diff_runs_release(&runs);
	diff_functions_release(&f);
	return ret;
}

static void set_unit(struct profile *p, const struct profile *other)
{
	if (!p->nodes[0].total)
		profile_set(&p->unit, other->unit);
}

/* Returns -1 with a message if unit, event or direction of two profiles differ. */
static int check_counts(
	struct profile *first, const char *first_name, struct profile *p, const char *name)
{
	set_unit(first, p);
	set_unit(p, first);

	const char *counts = profile_differs(first, p);

	if (first->reversed != p->reversed) {
		program_say("the stacks of '%s' begin at the leaf, the others at the root: they "
			    "cannot be compared",
			first->reversed ? first_name : name);
		return -1;
	}
	if (!counts)
		return 0;
	program_say("'%s' is in %s and '%s' in %s: they cannot be compared", first_name, counts,
		name, profile_differs(p, first));
	return -1;
}

static int check_all(const struct diff_command *o, struct profile *const *profiles)
{
	char *const *files = o->args.files, *first = shown(files[0]);
	int ret = 0;

	for (size_t i = 1; !ret && i < o->args.nr_files; i++) {
		char *name = shown(files[i]);

		ret = check_counts(profiles[0], first, profiles[i], name);
		free(name);
	}
	free(first);
	return ret;
}

static int compare(void *command, struct profile *const *profiles, FILE *out)
{
	struct diff_command *o = command;
	struct strbuf notes = STRBUF_INIT;
	struct diff_sides sides;

	if (check_all(o, profiles) < 0)
		return -1;
	o->flame.rules = o->args.rules.rules;
	diff_sides_init(&sides, profiles, o->args.nr_files, o->args.nr_before, &notes);
	program_say_rest(&notes);
	int ret = has_limit(o) ? write_with_limit(o, &sides, out) : write_all(o, NULL, &sides, out);

	diff_sides_release(&sides);
	return ret;
}

int main(int argc, char **argv)
{
	struct diff_command o = {
		.args = VIEW_ARGS_INIT, .limits = {.rise = DIFF_NO_LIMIT, .growth = DIFF_NO_LIMIT}};

	program_init();
	o.args.output.ending = ".svg";
	arg_parse(&program, argc, argv, &o);
	if (output_file_check(&o.junit))
		return EXIT_FAILED;
	int status = view_args_run(&o.args, compare, &o);

	free(o.work);
	if (status != EXIT_FAILED && o.above)
		status = EXIT_ABOVE;
	else if (!status && o.too_few)
		status = EXIT_PARTIAL;
	return program_end(status);
}
