/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/program.h"
#include "view/args/args.h"

static const struct arg_table program = {
	.words = "[FILE...]",
	.about = "Writes the stacks of profiles (" VIEW_INPUTS
		 "; default: stdin) as folded lines, added up and sorted, to "
		 "stdout." VIEW_EXIT_CODES,
	.parts = (const struct arg_part[]){{&tree_args, 0}, {0}},
};

static int collapse(void *command, struct profile *const *profiles, FILE *out)
{
	(void)command;
	view_folded(profiles[0], out, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct view_args args = VIEW_ARGS_INIT;

	program_init();
	arg_parse(&program, argc, argv, &args);
	return program_end(view_args_run(&args, collapse, NULL));
}
