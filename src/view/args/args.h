/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines of all views have in common, from their options to their exit codes. */
#ifndef VIEW_ARGS_ARGS_H
#define VIEW_ARGS_ARGS_H

#include "rules_args.h"
#include "symbol_args.h"
#include "view/filter.h"
#include "view/view.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* What the programs' help says of their files. */
#define VIEW_INPUTS                                                                                \
	"recordings, flame graphs, folded stacks, output of stap scripts, perf script, bpftrace "  \
	"and bcc"

struct view_args {
	struct input_options input;
	struct filter filter;
	struct label_filter labels; /* input.view points to it */
	struct rules_args rules;    /* of programs with rules_args_argp */
	char **files;               /* of argv; none: stdin */
	size_t nr_files;
	bool compares;      /* two files are two profiles, before and after; else all are one */
	double min_quality; /* per cent of the frames that must have names, 0: none */
};

#define VIEW_ARGS_INIT                                                                             \
	{                                                                                          \
		.input = {.view.event = -1, .symbol = SYMBOL_OPTIONS_INIT}, .min_quality = 50      \
	}

/* Options in group 2, files, exit codes in the help. Its input is a struct view_args. */
extern const struct argp view_args_argp;

/* The same for programs that show a call tree: with filters. */
extern const struct argp tree_args_argp;

/*
 * Reads rules and files, calls WRITE, which writes what the program is for to stdout, closes that
 * and says the account of each profile: the program's exit code. WRITE has the profiles filtered
 * and finished, in the order of the files, and the rules in args->rules; it returns 0, 1 when what
 * was asked for is not there, or -1 when it failed and said so. Releases what ARGS hold.
 */
typedef int view_write(void *command, struct profile *const *profiles);
int view_args_run(struct view_args *args, view_write *write, void *command);

/*
 * Says the account, where it is known, and when there are no samples (weight is in UNIT), more than
 * can be counted or too few names (WORST: the module that lacks most of them, NULL: not known), in
 * lines that begin with SUBJECT. The program's exit code; PART: a part of the input is missing.
 */
int view_args_judge(const struct view_args *args, const char *subject,
	const struct account *account, const char *unit, const char *worst, bool part);

#endif
