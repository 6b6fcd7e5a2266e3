/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/util.h"
#include "view/args/args.h"

typedef int export(const struct profile *p, FILE *out, struct strbuf *err);

struct export_command {
	struct view_args args;
	export *export; /* NULL: not told yet */
};

enum { OPT_PPROF = 256, OPT_SPEEDSCOPE, OPT_FOLDED };

static const struct argp_option table[] = {
	{"pprof", OPT_PPROF, NULL, 0, "For pprof: its profile.proto, compressed", 1},
	{"speedscope", OPT_SPEEDSCOPE, NULL, 0, "For speedscope: JSON", 1},
	{"folded", OPT_FOLDED, NULL, 0, "Folded stacks, as bt-collapse writes them", 1},
	{0},
};

static void choose(struct export_command *o, export *format, struct argp_state *state)
{
	if (o->export && o->export != format)
		argp_error(state, "one of --pprof, --speedscope and --folded, not two");
	o->export = format;
	o->args.input.view.label_sets = format == view_pprof;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export_command *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
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
			argp_error(state, "which format? give --pprof, --speedscope or --folded");
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
	.doc = "Writes profiles (recordings, flame graphs, folded stacks, what stap scripts, perf "
	       "script, bpftrace and bcc print; default: stdin), added up, in a format of other "
	       "programs, on stdout.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp}, {0}},
};

static int write_out(struct export_command *o)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = view_args_read(&o->args, &p);
	if (part < 0)
		goto out;
	o->export(&p, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	status = view_args_status(&o->args, &p, part);
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct export_command o = {.args = VIEW_ARGS_INIT};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return write_out(&o);
}
