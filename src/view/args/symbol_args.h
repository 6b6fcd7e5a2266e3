/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for sources of names, shared by all programs that resolve addresses. */
#ifndef VIEW_ARGS_SYMBOL_ARGS_H
#define VIEW_ARGS_SYMBOL_ARGS_H

#include "symbol/resolve.h"

#include <argp.h>

#define SYMBOL_OPTIONS_INIT                                                                        \
	{                                                                                          \
		.debuginfod_min = 0.5                                                              \
	}

/*
 * A child of the program's own parser, with options in group 4. Its input is a struct
 * symbol_options.
 */
extern const struct argp symbol_args_argp;

#endif
