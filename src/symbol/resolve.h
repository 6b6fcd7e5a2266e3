/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the addresses of a recording. flametap-names(7) lists where they come from. */
#ifndef SYMBOL_RESOLVE_H
#define SYMBOL_RESOLVE_H

#include "model/recording.h"
#include "symbol/names/demangle.h"
#include "symbol_report.h"

struct open_files;
struct strbuf;

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

/*
 * Gives mangled names to all frames of REC that lie in a mapping and have no name yet, or lack the
 * lines or inlined calls that OPTIONS ask for. A file is used only if it has the recorded build-id
 * (or none was recorded); frames that cannot be named stay as they are. REPORT (may be NULL) gets
 * each file that was looked at. Notes for the user are appended to NOTES, one a line. Opens only
 * files with samples in them, and reads them in worker processes: it returns whatever a file holds.
 */
void symbol_resolve(struct recording *rec, const struct symbol_options *options,
	struct symbol_report *report, struct strbuf *notes);

#endif
