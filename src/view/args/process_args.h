/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of programs that look at a running process. */
#ifndef VIEW_ARGS_PROCESS_ARGS_H
#define VIEW_ARGS_PROCESS_ARGS_H

#include "arg_parse.h"

#define PROCESS_ARGS_WORDS "-p PID"

/*
 * -p. Without it, or with other words, the program ends with EXIT_USAGE_ERROR. The input is a
 * uint32_t, the PID.
 */
extern const struct arg_table process_args;

/* --csv, --json and --text. The input is an enum grid_format, which fits stdout without these. */
extern const struct arg_table grid_args;

#endif
