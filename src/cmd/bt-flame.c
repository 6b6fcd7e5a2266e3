/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"

#include <string.h>

struct flame_command {
	struct view_args args;
	struct flame_options flame;
	const char *unit;      /* NULL for the input's unit */
	uint64_t total;        /* the weight of 100 %, if above the total; 0 for the total */
	struct strbuf ignored; /* names of options that have no effect */
	bool csp;
};

#define AT(member) ARG_AT(struct flame_command, member)

static void set_min_width(const struct arg_option *option, const char *arg, void *to)
{
	struct flame_options *flame = to;
	bool percent = ends_with(arg, "%");

	if (!parse_decimal(arg, strlen(arg) - percent, &flame->min_width) ||
		flame->min_width > (percent ? 100 : FLAME_WIDTH_MAX))
		arg_invalid(option, arg,
			"pixels, such as 3, or a percentage of the whole, such as 0.1%");
	flame->min_width_is = percent ? MIN_WIDTH_PERCENT : MIN_WIDTH_PX;
}

/* Refuses an option of flamegraph.pl. Its help is the reason. */
static void refuse(const struct arg_option *option, const char *arg, void *to)
{
	(void)arg;
	(void)to;
	arg_error("--%s is refused: %s", option->name, option->help);
}

/* Notes an option of flamegraph.pl that has no effect, as it is about the appearance only. */
static void ignore(const struct arg_option *option, const char *arg, void *to)
{
	struct strbuf *ignored = to;

	(void)arg;
	strbuf_addf(ignored, "%s--%s", ignored->len ? ", " : "", option->name);
}

static const struct arg_option options[] = {
	{"minwidth", 0, "N[%]",
		"Without script, omit frames narrower than N px, or N per cent of the total (3)", 1,
		set_min_width, AT(flame)},
	{"countname", 0, "WORD", "Unit instead of the input's", 1, arg_text, AT(unit)},
	{"total", 0, "N", "The weight that is 100 %, if more than the input's total", 1, arg_count,
		AT(total), 1, UINT64_MAX},
	{"factor", 0, "F", "Multiply displayed weights by F", 1, arg_positive, AT(flame.factor),
		.max = 1000000000000000},
	{"notes", 0, "TEXT", "Text for readers of the file", 1, arg_text, AT(flame.notes)},
	{"csp", 0, NULL, "Print the Content-Security-Policy of these files, nothing else", 1,
		arg_flag, AT(csp)},
	{.help = "Options of flamegraph.pl that are refused:", .group = 6},
	{"flamechart", 0, NULL,
		"a profile contains sums, without order in time; omit it for a flame graph", 6,
		.set = refuse},
	{"nameattr", 0, "FILE", "attributes could run scripts; omit it", 6, .set = refuse},
	{"negate", 0, NULL, "use bt-diff, which draws differences", 6, .set = refuse},
	{.help = "Options of flamegraph.pl that are ignored:", .group = 7},
	{"height", 0, "PX", NULL, 7, ignore, AT(ignored)},
	{"fonttype", 0, "FONT", NULL, 7, ignore, AT(ignored)},
	{"fontsize", 0, "PX", NULL, 7, ignore, AT(ignored)},
	{"fontwidth", 0, "RATIO", NULL, 7, ignore, AT(ignored)},
	{"bgcolors", 0, "COLOUR", NULL, 7, ignore, AT(ignored)},
	{"colors", 0, "PALETTE", NULL, 7, ignore, AT(ignored)},
	{"hash", 0, NULL, NULL, 7, ignore, AT(ignored)},
	{"random", 0, NULL, NULL, 7, ignore, AT(ignored)},
	{"cp", 0, NULL, NULL, 7, ignore, AT(ignored)},
	{"encoding", 0, "NAME", NULL, 7, ignore, AT(ignored)},
	{"nametype", 0, "TEXT", NULL, 7, ignore, AT(ignored)},
	{0},
};

static void settle(void *input)
{
	struct flame_command *o = input;

	o->args.not_for_terminal = "-o FILE.svg or --open";
}

static const struct arg_table program = {
	.options = options,
	.settle = settle,
	.words = "[FILE...]",
	.about = "Draws the call tree of profiles (" VIEW_INPUTS
		 "; default: stdin) as an interactive flame graph, one SVG file on "
		 "stdout." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&tree_args, 0},
		{&rules_args, offsetof(struct flame_command, args.rules)},
		{&flame_args, offsetof(struct flame_command, flame)}, {&open_args, 0},
		{&title_args, 0}, {0}},
};

/* The difference to the input's total becomes self weight of the root. */
static void set_total(struct profile *p, uint64_t total)
{
	struct profile_node *root = &p->nodes[0];

	if (total < root->total) {
		program_say("--total is ignored: it is below the input's total");
		return;
	}
	add_capped(&root->self, total - root->total);
	root->total = total;
}

static int draw(void *command, struct profile *const *profiles, FILE *out)
{
	struct flame_command *o = command;
	struct profile *p = profiles[0];

	if (o->unit && !o->flame.factor)
		profile_set(&p->unit, o->unit);
	if (o->total && p->nodes[0].total)
		set_total(p, o->total);
	o->flame.unit = o->unit;
	o->flame.rules = o->args.rules.rules;
	view_flame(p, &o->flame, out, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct flame_command o = {.args = VIEW_ARGS_INIT, .ignored = STRBUF_INIT};

	program_init();
	o.args.output.ending = ".svg";
	o.args.input.view.times = true;
	arg_parse(&program, argc, argv, &o);
	if (o.ignored.len)
		program_say("ignored: %s", o.ignored.buf);
	strbuf_release(&o.ignored);
	return program_end(o.csp ? view_args_print(&o.args, view_flame_policy)
				 : view_args_run(&o.args, draw, &o));
}
