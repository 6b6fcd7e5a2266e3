/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for the destination of the output. Their input is a struct output_file. */
#ifndef VIEW_ARGS_OUTPUT_ARGS_H
#define VIEW_ARGS_OUTPUT_ARGS_H

#include <argp.h>

extern const struct argp output_args_argp; /* -o */
extern const struct argp open_args_argp;   /* --open, for programs that make pictures or pages */

#endif
