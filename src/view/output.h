/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a recording, by the ending of their names. */
#ifndef VIEW_OUTPUT_H
#define VIEW_OUTPUT_H

#include "view.h"

struct output {
	struct recording *rec; /* with names */
	const struct recording_view *view;
	enum demangle demangle;
	struct profile *profile; /* of rec, finished */
};

enum output_format {
	OUT_REC,
	OUT_BT,
	OUT_FOLDED,
	OUT_SVG,
	OUT_CSV,
	OUT_PPROF,
	OUT_SPEEDSCOPE, /* before what its ending ends in */
	OUT_JSON,
	OUT_FORMATS,
};

/* The format that PATH's ending names, -1: none of ours. */
int output_format(const char *path);
const char *output_endings(void); /* ".rec .bt …", for messages */

/*
 * Before anything is recorded: -1 and ERR when no file can be made at PATH. What is seen only while
 * writing (a full disk) stays unseen.
 */
int output_check(const char *path, struct strbuf *err);

/*
 * Writes as FORMAT to a new file (mode 0600, put in place when whole: nothing of it stays
 * otherwise) or, for "-", to stdout, where only closing it tells what went wrong.
 */
int output_write(const struct output *output, enum output_format format, const char *path,
	struct strbuf *err);

/*
 * A dated folder below DIR with all formats, callers.svg, summary.csv and run.txt; *MADE is its
 * path, the caller's.
 */
int output_report(const struct output *output, const char *dir, char **made, struct strbuf *err);

/*
 * For what could not be written elsewhere: the recording as a new file sample-bt-DATE-PID.rec (mode
 * 0600, through no link) in the first place that takes all of it of $TMPDIR, /var/tmp, /tmp, $HOME,
 * /dev/shm. *PATH is the caller's. -1, ERR and *PATH NULL: none of them did.
 */
int output_rescue(const struct output *output, char **path, struct strbuf *err);

#endif
