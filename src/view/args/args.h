/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of the command lines of all views, from options to exit codes. */
#ifndef VIEW_ARGS_ARGS_H
#define VIEW_ARGS_ARGS_H

#include "rules_args.h"
#include "symbol_args.h"
#include "view/filter.h"
#include "view/output_file.h"
#include "view/view.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* The input formats, for --help. */
#define VIEW_INPUTS                                                                                \
	"recordings, flame graphs, folded stacks, pprof, speedscope, output of stap scripts, "     \
	"perf script, bpftrace and bcc; also in gzip or zstd"

struct view_args {
	struct input_options input;
	struct filter filter;
	struct label_filter labels; /* input.view points to it */
	struct rules_args rules;    /* of programs with rules_args_argp */
	struct output_file output;
	char **files; /* of argv; none: stdin */
	size_t nr_files;
	bool compares;       /* two files are two profiles, before and after; else all are one */
	const char *title;   /* NULL: the input's */
	const char *by_help; /* of --by; NULL: the value of a label becomes the root frame */
	double min_quality;  /* per cent of the frames that must have names, or ACCOUNT_NO_LEAST */
};

#define VIEW_ARGS_INIT                                                                             \
	{                                                                                          \
		.input = {.view.event = -1, .symbol = SYMBOL_OPTIONS_INIT},                        \
		.min_quality = ACCOUNT_NO_LEAST                                                    \
	}

/* Options in group 2, files, exit codes in --help. Its input is a struct view_args. */
extern const struct argp view_args_argp;

/* The same with filters, for programs that show a call tree. */
extern const struct argp tree_args_argp;

/* --title, for programs whose output has a heading. Its input is a struct view_args. */
extern const struct argp title_args_argp;

/*
 * Ends the program with EXIT_USAGE_ERROR if it would read what somebody types on a terminal, with
 * EXIT_FAILED if it cannot write its output.
 */
void view_args_check_files(const struct view_args *args);

/*
 * Reads rules and files, calls WRITE, which writes the program's output to OUT, closes that and
 * prints the account of each profile. Returns the program's exit code. WRITE gets the filtered and
 * finished profiles, in the order of the files, and the rules in args->rules; it returns 0; 1 if
 * what the user asked for does not exist; -1 if it failed and has printed a message. Releases the
 * contents of ARGS.
 */
typedef int view_write(void *command, struct profile *const *profiles, FILE *out);
int view_args_run(struct view_args *args, view_write *write, void *command);

/* Writes TEXT instead: the exit code. */
int view_args_print(struct view_args *args, const char *text);

struct view_quality {
	const struct account *account;
	const struct timing *timing;
	const struct cuts *cuts;
	const char *unit;  /* of the weights */
	const char *worst; /* the module with most unnamed frames, NULL: unknown */
	bool part;         /* a part of the input is missing */
};

/*
 * Prints the account, if it is known, why stacks are cut, and messages if there are no samples,
 * more than can be counted, or too few names, in lines that begin with SUBJECT. Returns the
 * program's exit code.
 */
int view_args_judge(
	const struct view_args *args, const char *subject, const struct view_quality *quality);

#endif
