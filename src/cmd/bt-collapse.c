/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "lib/util.h"
#include "view/args/args.h"

static const struct argp argp = {
	.args_doc = "[FILE...]",
	.doc = "Writes the stacks of profiles (recordings, flame graphs, folded stacks, what stap "
	       "scripts, perf script, bpftrace and bcc print; default: stdin) as folded lines, "
	       "added up and sorted, on stdout.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp}, {0}},
};

static int collapse(struct view_args *args)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = view_args_read(args, &p);
	if (part < 0)
		goto out;
	view_folded(&p, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	status = view_args_status(args, &p, part);
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct view_args args = VIEW_ARGS_INIT;

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return collapse(&args);
}
