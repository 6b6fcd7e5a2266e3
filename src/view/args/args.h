/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of the command lines of all views, from options to exit codes. */
#ifndef VIEW_ARGS_ARGS_H
#define VIEW_ARGS_ARGS_H

#include "input/input.h"
#include "rules_args.h"
#include "symbol_args.h"
#include "symbol/quality.h"
#include "view/filter.h"
#include "view/output_file.h"
#include "view/view.h"

#include <stdbool.h>
#include <stddef.h>

/* The input formats, for --help. */
#define VIEW_INPUTS                                                                                \
	"recordings, perf.data, flame graphs, folded stacks, pprof, OTLP, speedscope, JSON of "    \
	"V8, Chrome and Firefox, output of stap scripts, "                                         \
	"perf script, bpftrace and bcc; also in gzip or zstd"

struct view_args {
	struct input_options input;
	struct filter filter;
	struct label_filter labels, tasks; /* input.view points to them */
	struct rules_args rules;           /* used by programs with rules_args */
	struct output_file output;
	char **files;               /* from argv; stdin if there are none */
	size_t nr_files, nr_quoted; /* the quoted ones follow "--" */
	/* The number of profiles from before, or 0 if all files are one profile. */
	size_t nr_before;
	const char *title; /* NULL for the title of the input */
	/* The form of names in text tables; after parsing, it is NAMES_SHORT or NAMES_FULL. */
	enum { NAMES_OF_STDOUT, NAMES_FULL, NAMES_SHORT } names;
	/* What to use instead of a terminal for the output, or NULL if people can read it. */
	const char *not_for_terminal;
	/* Percentage of the frames that must have names, or ACCOUNT_NO_LEAST. */
	double min_quality;
};

#define VIEW_ARGS_INIT                                                                             \
	{                                                                                          \
		.input = {.view.event = -1, .symbol = SYMBOL_OPTIONS_INIT},                        \
		.min_quality = ACCOUNT_NO_LEAST                                                    \
	}

/* The input of these tables is a struct view_args. Their options are in group 2. */
extern const struct arg_table view_args;
extern const struct arg_table tree_args;  /* and filters, for programs that show a call tree */
extern const struct arg_table title_args; /* --title, for programs whose output has a heading */
extern const struct arg_table names_args; /* --names, for programs with tables of functions */
extern const struct arg_table open_args;  /* --open, for programs that make pictures or pages */

/* Options of flame graphs, in group 1. The input is a struct flame_options. */
extern const struct arg_table flame_args;

/* struct recording_view, whose root frames become tasks or the values of a label. */
arg_set arg_root;

/* struct function_match_list, to which the function is added. */
arg_set arg_function;

/* The exit codes, for the end of --help. */
#define VIEW_EXIT_CODES                                                                            \
	"\vExit status: 0 all of the input; 1 a part of it, no samples, or fewer names "           \
	"than --min-quality; 2 failed; 64 wrong usage."

/*
 * Ends the program with EXIT_USAGE_ERROR if it would read from a terminal, or write to one what is
 * not for terminals, and with EXIT_FAILED if it cannot write its output.
 */
void view_args_check_files(const struct view_args *args);

/*
 * Reads rules and files, calls WRITE, closes the output and prints the account of each profile.
 * Returns the program's exit code. Releases the contents of ARGS.
 *
 * WRITE writes the program's output to OUT. It gets the filtered and finished profiles, in the
 * order of the files, and the rules in args->rules. It returns 0, or 1 if something that the user
 * asked for does not exist, or -1 if it failed and has printed a message.
 */
typedef int view_write(void *command, struct profile *const *profiles, FILE *out);
int view_args_run(struct view_args *args, view_write *write, void *command);

/* Writes TEXT as the program's output. Returns the exit code. */
int view_args_print(struct view_args *args, const char *text);

/*
 * Prints the account of Q, which is a recording's, if it is known, and why stacks are truncated.
 * Prints messages if there are no samples, more than can be counted, or too few names, with GAP.
 * PART means that a part of the input is missing. Returns the program's exit code.
 */
int view_args_judge_recording(
	const struct view_args *args, const struct quality *q, struct account_gap gap, bool part);

#endif
