/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/function_match.h"
#include "view/report/outliers_report.h"
#include "view/report/ranges_report.h"
#include "view/report/tree_report.h"
#include "view/rules.h"

#include <string.h>
#include <unistd.h>

#define MIN_SHARE 0.5 /* per cent */

struct report_command {
	struct view_args args;
	struct report_options report;
	struct function_match fn;
	bool has_of;
	bool print_rules;
	bool distr;
	bool outliers;
	bool tree;
	unsigned sort; /* enum report_sort, or SORT_UNSET */
	struct tree_options trees;
};

enum { SORT_UNSET = SORT_NAME + 1 };

static void choose_of(struct report_command *o, enum report_of of)
{
	if (o->has_of)
		arg_error("give only one of --summary, --by, --callers and --callees, once");
	o->report.of = of;
	o->has_of = true;
}

static void set_summary(const struct arg_option *option, const char *arg, void *to)
{
	(void)option;
	(void)arg;
	choose_of(to, REPORT_CATEGORIES);
}

static void set_calls(const struct arg_option *option, const char *arg, void *to)
{
	struct report_command *o = to;
	struct strbuf use = STRBUF_INIT;

	choose_of(o, (enum report_of)option->choice);
	if (function_match_init(&o->fn, arg, &use) < 0)
		arg_invalid(option, arg, use.buf);
	o->report.fn = &o->fn;
}

#define AT(member) ARG_AT(struct report_command, member)
#define FORM(which) arg_choice, AT(report.form), .use = FORMS, .choice = which
#define FORMS "--csv, --json and --text"

static const char *const sort_words[] = {[SORT_SELF] = "self",
	[SORT_INCLUSIVE] = "inclusive",
	[SORT_NAME] = "name",
	[SORT_UNSET] = NULL};

static const struct arg_option options[] = {
	{"summary", 0, NULL, "Categories instead of functions", 1, .set = set_summary},
	{"callers", 0, "FN",
		"Who calls the functions that FN matches: a name, a pattern such as 'malloc*', "
		"or re:REGEX",
		1, set_calls, .choice = REPORT_CALLERS},
	{"callees", 0, "FN", "What the functions that FN matches call", 1, set_calls,
		.choice = REPORT_CALLEES},
	{"tree", 0, NULL,
		"The call tree, or with --callers and --callees the tree of those; as text unless "
		"a format is given",
		1, arg_flag, AT(tree)},
	{"depth", 0, "N", "With --tree, which it implies: only N functions from the root", 1,
		arg_count, AT(trees.depth), 1, UINT32_MAX},
	{"min-share", 0, "PCT",
		"With --tree: only branches with this share of the weight (0.5); the others are "
		"added up",
		1, arg_percent, AT(trees.min_share)},
	{"distr", 0, NULL,
		"The distribution of the values or times that sample-bt --distr has recorded; with "
		"--by for each value of a label, or --by function for each function at a leaf; as "
		"text unless a format is given",
		1, arg_flag, AT(distr)},
	{"outliers", 0, NULL,
		"The times that differ from the rest of a recording with slices, and the functions "
		"that make them differ; as text unless a format is given",
		1, arg_flag, AT(outliers)},
	{"csv", 0, NULL, "As CSV (default, except on a terminal, and for -o FILE.csv)", 1,
		FORM(REPORT_CSV)},
	{"text", 0, NULL, "As a text table (default on a terminal, and for -o FILE.txt)", 1,
		FORM(REPORT_TEXT)},
	{"top", 0, "N", "Only the first N rows; with --outliers those that differ most", 1,
		arg_count, AT(report.top), 1, UINT32_MAX},
	{"sort", 0, "self|inclusive|name", "Order of the rows (self)", 1, arg_word, AT(sort),
		.words = sort_words},
	{"json", 0, NULL, "As JSON, with total, unit and account; default for -o FILE.json", 1,
		FORM(REPORT_JSON)},
	{"print-rules", 0, NULL, "Print the built-in rules, nothing else", 1, arg_flag,
		AT(print_rules)},
	{"by", 0, "KEY[,KEY...]",
		"A table by KEY, one of function, module, file, line, category, " ARG_ROOT_WORDS
		"; file and line are of the source; label:KEY for a label whose key is another of "
		"these words; several are crossed, as in --by comm,function",
		2, arg_text, AT(args.input.view.by), .use = ARG_LABEL_KEY, .once = ARG_KEYS_ONCE},
	{0},
};

/* Functions and categories alone have reports of their own. */
static enum report_of of_keys(const struct report_keys *keys)
{
	if (keys->nr > 1 || (keys->list[0] != BY_FUNCTION && keys->list[0] != BY_CATEGORY))
		return REPORT_GROUPS;
	return keys->list[0] == BY_FUNCTION ? REPORT_FUNCTIONS : REPORT_CATEGORIES;
}

static bool has_keys_of_stacks(const struct report_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++)
		if (report_by_is_of_stacks(keys->list[i]))
			return true;
	return false;
}

/* Parses --by, and requests the parts of the input that the keys need. */
static void set_by(struct report_command *o, const char *arg)
{
	struct report_keys *keys = &o->report.keys;
	struct recording_view *view = &o->args.input.view;
	struct strbuf why = STRBUF_INIT;

	view->by = NULL;
	if (report_keys_parse(keys, arg, &why) < 0)
		arg_error("invalid --by '%s': %s", arg, why.buf);
	choose_of(o, of_keys(keys));
	report_keys_read(keys, view);
	view->range_by_leaf = o->distr && o->report.of == REPORT_FUNCTIONS;
	o->args.input.symbol.lines |= view->lines;
	if (has_keys_of_stacks(keys) && o->args.filter.skip_after.nr)
		arg_error("--skip-after removes what --by needs: leave one of them out");
}

static enum grid_format grid_format(const struct report_command *o)
{
	static const enum grid_format formats[] = {
		[REPORT_CSV] = GRID_CSV, [REPORT_TEXT] = GRID_TEXT, [REPORT_JSON] = GRID_JSON};

	return formats[o->report.form];
}

static enum report_form default_form(const struct report_command *o)
{
	if (output_file_ends(&o->args.output, ".csv"))
		return REPORT_CSV;
	if (output_file_ends(&o->args.output, ".json"))
		return REPORT_JSON;
	if (output_file_is_stdout(&o->args.output) && isatty(STDOUT_FILENO))
		return REPORT_TEXT;
	return o->distr || o->tree || o->outliers || output_file_ends(&o->args.output, ".txt")
		       ? REPORT_TEXT
		       : REPORT_CSV;
}

static void check_tree(struct report_command *o)
{
	if (o->has_of && !o->report.fn)
		arg_error("--tree is for all stacks, or for --callers or --callees");
	if (o->report.top || o->sort != SORT_UNSET || o->distr)
		arg_error("--top, --sort and --distr are for tables: use --depth and --min-share "
			  "with --tree");
	o->trees.of = o->report.of;
	o->trees.fn = o->report.fn;
	o->trees.format = grid_format(o);
}

/* The distribution is of rows, not of frames. */
static void check_distr(const struct report_command *o)
{
	const struct filter *f = &o->args.filter;

	bool is_by_label = report_keys_are_a_label(&o->report.keys);

	if (o->has_of && !is_by_label && !o->args.input.view.range_by_leaf)
		arg_error("--distr is for all stacks, by function, or by a label");
	if (f->only.nr || f->exclude.nr || f->skip_after.nr)
		arg_error("--distr is for all stacks: leave out --only, --exclude and "
			  "--skip-after");
}

static void check_outliers(struct report_command *o)
{
	if (o->has_of || o->sort != SORT_UNSET || o->distr || o->tree)
		arg_error("--outliers is a table of its own: leave out the options for other "
			  "tables");
	o->args.input.view.times = true;
}

/* Slices are listed in order of time, unless only the heaviest ones are. */
static enum report_sort default_sort(const struct report_command *o)
{
	return report_keys_are_slices(&o->report.keys) && !o->report.top ? SORT_NAME : SORT_SELF;
}

static void settle(void *input)
{
	struct report_command *o = input;

	o->tree |= o->trees.depth != 0;
	o->report.short_names = o->trees.short_names = o->args.names == NAMES_SHORT;
	if (!o->report.form)
		o->report.form = default_form(o);
	if (o->args.input.view.by)
		set_by(o, o->args.input.view.by);
	o->report.sort = o->sort == SORT_UNSET ? default_sort(o) : (enum report_sort)o->sort;
	if (o->distr)
		check_distr(o);
	if (o->tree)
		check_tree(o);
	if (o->outliers)
		check_outliers(o);
}

static const struct arg_elsewhere elsewhere[] = {
	{"-i", "give the FILE without an option"},
	{"--input", "give the FILE without an option"},
	{"-g", "use --tree, or --callers FN and --callees FN"},
	{"--call-graph", "use --tree, or --callers FN and --callees FN"},
	{"--stdio", "use --text"},
	{"--children", "use --sort inclusive"},
	{"--no-children", "rows are in the order of self weights by default; leave it out"},
	{"--percent-limit", "use --top N, or --min-share PCT with --tree"},
	{"-s", "use --by KEY[,KEY...] for other rows than functions"},
	{"--format", "use --csv, --json or --text, or the ending of -o FILE"},
	{0},
};

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.elsewhere = elsewhere,
	.words = "[FILE...]",
	.about = "Reports how the weight of profiles (" VIEW_INPUTS
		 "; default: stdin) spreads over functions, to stdout: as profile.csv, heaviest "
		 "first, or in another format." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&tree_args, 0},
		{&rules_args, offsetof(struct report_command, args.rules)}, {&title_args, 0},
		{&names_args, 0}, {0}},
};

/* Restores the original direction of the stacks of a reversed graph. */
static int turn(struct profile *p)
{
	struct strbuf err = STRBUF_INIT;
	int ret = filter_turn(p, &err);

	program_say_rest(&err);
	if (!ret)
		profile_finish(p);
	return ret;
}

static int write_distr(const struct report_command *o, const struct profile *p, FILE *out)
{
	const char *key = o->args.input.view.range_by_leaf ? "function" : o->report.keys.labels[0];

	if (!ranges_report(p, key, grid_format(o), out))
		return 0;
	program_say("there is no distribution: record it with sample-bt --distr");
	return 1;
}

static int write_outliers(const struct report_command *o, const struct profile *p, FILE *out)
{
	if (!outliers_report(p, grid_format(o), o->report.top, out))
		return 0;
	program_say("there are no slices of time, or too few: record with sample-bt --slice TIME");
	return 1;
}

static int write_report(void *command, struct profile *const *profiles, FILE *out)
{
	struct report_command *o = command;
	struct strbuf notes = STRBUF_INIT;

	if (o->distr)
		return write_distr(o, profiles[0], out);
	if (o->outliers)
		return write_outliers(o, profiles[0], out);
	if (profiles[0]->reversed && turn(profiles[0]) < 0)
		return -1;
	bool missing = o->report.fn && !function_match_settle(&o->fn, profiles, 1, &notes);

	if (missing && profiles[0]->origin.engine && !o->args.input.symbol.inlines)
		strbuf_adds(&notes, "functions that are inlined are found with --inlines\n");
	program_say_rest(&notes);
	o->report.rules = o->args.rules.rules;
	if (o->tree)
		tree_report(profiles[0], &o->trees, out);
	else
		view_report(profiles[0], &o->report, out, NULL);
	return missing;
}

int main(int argc, char **argv)
{
	struct report_command o = {
		.args = VIEW_ARGS_INIT, .sort = SORT_UNSET, .trees.min_share = MIN_SHARE};

	program_init();
	arg_parse(&program, argc, argv, &o);
	o.args.filter.reverse = false; /* the tables are the same in both directions */
	int status = o.print_rules ? view_args_print(&o.args, rules_text)
				   : view_args_run(&o.args, write_report, &o);

	function_match_release(&o.fn);
	report_keys_release(&o.report.keys);
	return program_end(status);
}
