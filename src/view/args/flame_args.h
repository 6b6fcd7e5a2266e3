/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of flame graphs, shared by all programs that draw one. */
#ifndef VIEW_ARGS_FLAME_ARGS_H
#define VIEW_ARGS_FLAME_ARGS_H

#include "arg_parse.h"

/* Options in group 1. The input is a struct flame_options. */
extern const struct arg_table flame_args;

#endif
