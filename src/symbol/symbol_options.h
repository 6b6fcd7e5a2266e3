/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of the lookup of names. */
#ifndef SYMBOL_SYMBOL_OPTIONS_H
#define SYMBOL_SYMBOL_OPTIONS_H

#include "symbol/names/demangle.h"

#include <stdbool.h>

struct open_files;

enum debuginfod_use { DEBUGINFOD_AUTO, DEBUGINFOD_ALWAYS, DEBUGINFOD_NEVER };

struct symbol_options {
	const struct open_files
		*files; /* found by build-id before the path is tried; may be NULL */
	enum demangle demangle;
	bool has_demangle;      /* given by the user, not the default */
	const char *root;       /* prefix for the paths of the recording, NULL: "/" */
	const char *debug_path; /* debug file directories separated by ":", NULL: /usr/lib/debug */
	bool inlines, lines;    /* frames with a name but without these are looked up again */
	bool local_lines;       /* lines as well, but without downloads for their sake */
	enum debuginfod_use debuginfod;
	double debuginfod_min; /* per cent: only for files with that share of the weight */
	bool quiet;            /* no progress on stderr */
};

static inline bool symbol_needs_debuginfo(const struct symbol_options *options)
{
	return options->inlines || options->lines || options->local_lines;
}

#endif
