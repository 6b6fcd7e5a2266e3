/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --csv and --json of programs that print tables. */
#ifndef VIEW_ARGS_GRID_ARGS_H
#define VIEW_ARGS_GRID_ARGS_H

#include "arg_parse.h"

/* The input is an enum grid_format, initially text. */
extern const struct arg_table grid_args;

#endif
