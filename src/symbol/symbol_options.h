/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the lookup of names. */
#ifndef SYMBOL_SYMBOL_OPTIONS_H
#define SYMBOL_SYMBOL_OPTIONS_H

#include "symbol/names/demangle.h"

#include <stdbool.h>

struct open_files;

enum debuginfod_use { DEBUGINFOD_AUTO, DEBUGINFOD_ALWAYS, DEBUGINFOD_NEVER };

struct symbol_options {
	/* searched by build-id before the path is tried; may be NULL */
	const struct open_files *files;
	enum demangle demangle;
	bool has_demangle; /* given by the user, and not the default */
	const char *root;  /* prefix for the paths of the recording, or NULL for "/" */
	/* debug file directories separated by ":", or NULL for /usr/lib/debug */
	const char *debug_path;
	bool inlines, lines; /* frames with a name but without these are looked up again */
	bool optional; /* only local files are asked for these, without a word if there are none */
	enum debuginfod_use debuginfod;
	double debuginfod_min; /* least share of the weight, in per cent, of a file to download */
	bool quiet;            /* show no progress on stderr */
};

static inline bool symbol_needs_debuginfo(const struct symbol_options *options)
{
	return options->inlines || options->lines;
}

#endif
