/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines of all views have in common, from their options to their exit codes. */
#ifndef VIEW_ARGS_ARGS_H
#define VIEW_ARGS_ARGS_H

#include "symbol_args.h"
#include "view/filter.h"
#include "view/view.h"

#include <argp.h>
#include <stddef.h>

struct view_args {
	struct input_options input;
	struct filter filter;       /* view_args_read releases it */
	struct label_filter labels; /* so does it this; input.view points to it */
	char **files;               /* of argv; none: stdin */
	size_t nr_files;
	double min_quality; /* per cent of the frames that must have names, 0: none */
	const char
		*subject; /* what is said of a profile begins with it: "before: "; NULL: nothing */
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
 * Adds all files to P, which was just initialised, filters and finishes it, and says what there is
 * to say. 0: all of them; 1: a part; -1: no profile.
 */
int view_args_read(struct view_args *args, struct profile *p);

/* The same, each file as one of PROFILES. */
int view_args_read_each(struct view_args *args, struct profile **profiles);

/*
 * Says the account, where it is known, and when there are no samples (weight is in UNIT), more than
 * can be counted or too few names (WORST: the module that lacks most of them, NULL: not known). The
 * program's exit code; PART: 1 when a part of the input is missing.
 */
int view_args_judge(const struct view_args *args, const struct account *account, const char *unit,
	const char *worst, int part);

/* The same for a profile. */
int view_args_status(const struct view_args *args, const struct profile *p, int part);

#endif
