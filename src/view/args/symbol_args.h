/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for sources of names, shared by all programs that resolve addresses. */
#ifndef VIEW_ARGS_SYMBOL_ARGS_H
#define VIEW_ARGS_SYMBOL_ARGS_H

#include "arg_parse.h"
#include "symbol/resolve.h"

#define SYMBOL_OPTIONS_INIT                                                                        \
	{                                                                                          \
		.debuginfod_min = 0.5                                                              \
	}

/* Options in group 5. The input is a struct symbol_options. */
extern const struct arg_table symbol_args;

#endif
