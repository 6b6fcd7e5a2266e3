/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/args/flame_args.h"
#include "view/args/flamegraph_args.h"
#include "view/args/output_args.h"

#include <string.h>

struct flame_command {
	struct view_args args;
	struct flame_options flame;
	const char *unit;      /* NULL for the input's unit */
	uint64_t total;        /* the weight of 100 %, if above the total; 0 for the total */
	struct strbuf ignored; /* names of options that have no effect */
	bool csp;
};

enum {
	OPT_MINWIDTH = 256,
	OPT_COUNTNAME,
	OPT_TOTAL,
	OPT_FACTOR,
	OPT_NOTES,
	OPT_CSP,
};

static const struct argp_option table[] = {
	{"minwidth", OPT_MINWIDTH, "N[%]", 0,
		"Without script, omit frames narrower than N px, or N per cent of the total (3)",
		1},
	{"countname", OPT_COUNTNAME, "WORD", 0, "Unit instead of the input's", 1},
	{"total", OPT_TOTAL, "N", 0, "The weight that is 100 %, if more than the input's total", 1},
	{"factor", OPT_FACTOR, "F", 0, "Multiply displayed weights by F", 1},
	{"notes", OPT_NOTES, "TEXT", 0, "Text for readers of the file", 1},
	{"csp", OPT_CSP, NULL, 0, "Print the Content-Security-Policy of these files, nothing else",
		1},
	{0},
};

static void parse_min_width(const char *arg, struct flame_options *flame, struct argp_state *state)
{
	bool percent = ends_with(arg, "%");

	if (!parse_decimal(arg, strlen(arg) - percent, &flame->min_width) ||
		flame->min_width > (percent ? 100 : FLAME_WIDTH_MAX))
		arg_invalid("--minwidth", arg,
			"pixels, such as 3, or a percentage of the whole, such as 0.1%", state);
	flame->min_width_is = percent ? MIN_WIDTH_PERCENT : MIN_WIDTH_PX;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flame_command *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->args.rules;
		state->child_inputs[2] = &o->flame;
		state->child_inputs[3] = &o->ignored;
		state->child_inputs[4] = &o->args.output;
		state->child_inputs[5] = &o->args;
		break;
	case OPT_MINWIDTH:
		parse_min_width(arg, &o->flame, state);
		break;
	case OPT_COUNTNAME:
		o->unit = arg;
		break;
	case OPT_TOTAL:
		o->total = arg_count("--total", arg, 1, UINT64_MAX, state);
		break;
	case OPT_FACTOR:
		o->flame.factor = arg_positive("--factor", arg, 1e15, state);
		break;
	case OPT_NOTES:
		o->flame.notes = arg;
		break;
	case OPT_CSP:
		o->csp = true;
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
	.doc = "Draws the call tree of profiles (" VIEW_INPUTS
	       "; default: stdin) as an interactive flame graph, one SVG file on stdout.",
	.children =
		(const struct argp_child[]){{.argp = &tree_args_argp}, {.argp = &rules_args_argp},
			{.argp = &flame_args_argp}, {.argp = &flamegraph_args_argp},
			{.argp = &open_args_argp}, {.argp = &title_args_argp}, {0}},
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
	arg_parse(&argp, argc, argv, 0, &o);
	if (o.ignored.len)
		program_say("ignored: %s", o.ignored.buf);
	strbuf_release(&o.ignored);
	return program_end(o.csp ? view_args_print(&o.args, view_flame_policy)
				 : view_args_run(&o.args, draw, &o));
}
