/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options --csv and --json of programs that print tables. */
#ifndef VIEW_ARGS_GRID_ARGS_H
#define VIEW_ARGS_GRID_ARGS_H

#include <argp.h>

/* A child of the program's own parser. Its input is an enum grid_format, initially text. */
extern const struct argp grid_args_argp;

#endif
