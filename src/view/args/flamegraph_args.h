/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of flamegraph.pl that command lines may have and that mean nothing to us: those that only
 * change its looks are accepted, those that change what it shows are refused.
 */
#ifndef VIEW_ARGS_FLAMEGRAPH_ARGS_H
#define VIEW_ARGS_FLAMEGRAPH_ARGS_H

#include <argp.h>

struct strbuf;

/* A child of the program's own parser, options in groups 5 and 6. Its input is a struct strbuf, to
 * which it appends the names of those that were accepted: "--height, --hash". */
extern const struct argp flamegraph_args_argp;

#endif
