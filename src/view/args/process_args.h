/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of programs that look at a running process. */
#ifndef VIEW_ARGS_PROCESS_ARGS_H
#define VIEW_ARGS_PROCESS_ARGS_H

#include <argp.h>

#define PROCESS_ARGS_DOC "-p PID"

/*
 * A child of the program's own parser, with -p and -h. Without -p, or with arguments, the program
 * ends with EXIT_USAGE_ERROR. Its input is a uint32_t, the PID.
 */
extern const struct argp process_args_argp;

#endif
