/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"

typedef int export(const struct profile *p, FILE *out, struct strbuf *err);

struct export_command {
	struct view_args args;
	export *export; /* NULL if no format is given yet */
};

enum { OPT_PPROF = 256, OPT_SPEEDSCOPE, OPT_FOLDED };

static const struct argp_option table[] = {
	{"pprof", OPT_PPROF, NULL, 0,
		"For pprof: its profile.proto, compressed; default for -o FILE.pb.gz", 1},
	{"speedscope", OPT_SPEEDSCOPE, NULL, 0,
		"For speedscope: JSON; default for -o FILE.speedscope.json", 1},
	{"folded", OPT_FOLDED, NULL, 0,
		"Folded stacks, as bt-collapse writes them; default for -o FILE.folded", 1},
	{0},
};

static void choose(struct export_command *o, export *format, struct argp_state *state)
{
	if (o->export && o->export != format)
		arg_error(state, "give only one of --pprof, --speedscope and --folded");
	o->export = format;
	o->args.input.view.label_sets = o->args.input.view.places = format == view_pprof;
}

static void choose_by_ending(struct export_command *o, struct argp_state *state)
{
	const struct output_file *output = &o->args.output;

	if (output_file_ends(output, ".pb.gz"))
		choose(o, view_pprof, state);
	else if (output_file_ends(output, ".speedscope.json"))
		choose(o, view_speedscope, state);
	else if (output_file_ends(output, ".folded"))
		choose(o, view_folded, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export_command *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->args;
		break;
	case OPT_PPROF:
		choose(o, view_pprof, state);
		break;
	case OPT_SPEEDSCOPE:
		choose(o, view_speedscope, state);
		break;
	case OPT_FOLDED:
		choose(o, view_folded, state);
		break;
	case ARGP_KEY_SUCCESS:
		if (!o->export)
			choose_by_ending(o, state);
		if (!o->export)
			arg_error(state, "no format: give --pprof, --speedscope or --folded");
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
	.doc = "Writes profiles (" VIEW_INPUTS
	       "; default: stdin), added up, in the format of another program, to stdout.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp},
		{.argp = &title_args_argp}, {0}},
};

static int write_out(void *command, struct profile *const *profiles, FILE *out)
{
	const struct export_command *o = command;

	o->export(profiles[0], out, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct export_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	arg_parse(&argp, argc, argv, 0, &o);
	return program_end(view_args_run(&o.args, write_out, &o));
}
