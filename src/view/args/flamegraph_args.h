/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of flamegraph.pl that are not supported. Options that only affect the appearance of the
 * output are accepted and ignored, options that affect its content are refused.
 */
#ifndef VIEW_ARGS_FLAMEGRAPH_ARGS_H
#define VIEW_ARGS_FLAMEGRAPH_ARGS_H

#include <argp.h>

struct strbuf;

/*
 * A child of the program's own parser, with options in groups 5 and 6. Its input is a struct
 * strbuf, to which it appends the names of ignored options: "--height, --hash".
 */
extern const struct argp flamegraph_args_argp;

#endif
