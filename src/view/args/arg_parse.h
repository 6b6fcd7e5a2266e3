/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses command lines with argp, and reports errors in one line. */
#ifndef VIEW_ARGS_ARG_PARSE_H
#define VIEW_ARGS_ARG_PARSE_H

#include <argp.h>

/*
 * Does the same as argp_parse, with FLAGS 0 or ARGP_IN_ORDER. If an option is unknown, ambiguous,
 * has a value that it does not take, or lacks a value, ends the program with EXIT_USAGE_ERROR and
 * one line, which names similar options.
 */
void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
