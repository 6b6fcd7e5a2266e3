/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command lines: argp, with errors in one line. */
#ifndef VIEW_ARGS_ARG_PARSE_H
#define VIEW_ARGS_ARG_PARSE_H

#include <argp.h>

/*
 * The same as argp_parse, FLAGS 0 or ARGP_IN_ORDER. An option that is unknown, ambiguous, or has
 * or lacks a value ends the program with EXIT_USAGE_ERROR and one line, which names similar
 * options.
 */
void arg_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

#endif
