/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the addresses of a recording. flametap-names(7) lists the sources of names. */
#ifndef SYMBOL_RESOLVE_H
#define SYMBOL_RESOLVE_H

#include "model/recording.h"
#include "symbol_options.h"
#include "symbol_report.h"

struct strbuf;

/*
 * Gives mangled names to all frames of REC that lie in a mapping and have no name yet, or lack the
 * lines or inlined calls that OPTIONS ask for. A file is used only if it has the recorded build-id,
 * or if none was recorded. Frames that cannot be named stay as they are. REPORT, which may be NULL,
 * gets each file that was looked at. Notes for the user are appended to NOTES, one per line. Opens
 * only files with samples in them, and reads them in worker processes. Therefore it returns no
 * matter what a file contains.
 */
void symbol_resolve(struct recording *rec, const struct symbol_options *options,
	struct symbol_report *report, struct strbuf *notes);
void symbol_report_release(struct symbol_report *report);

#endif
