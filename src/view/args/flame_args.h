/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of flame graphs, shared by all programs that draw one. */
#ifndef VIEW_ARGS_FLAME_ARGS_H
#define VIEW_ARGS_FLAME_ARGS_H

#include <argp.h>

/*
 * A child of the program's own parser, with options in group 1. Its input is a struct
 * flame_options.
 */
extern const struct argp flame_args_argp;

#endif
