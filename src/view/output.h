/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording in formats given by the endings of file names. */
#ifndef VIEW_OUTPUT_H
#define VIEW_OUTPUT_H

#include "view.h"

struct output {
	struct recording *rec; /* with names */
	const struct recording_view *view;
	enum demangle demangle;
	struct profile *profile; /* the finished profile of rec */
	bool skid;               /* late ticks are counted for the callers (skid.h) */
};

enum output_format {
	OUT_REC,
	OUT_REC_ZST,
	OUT_BT,
	OUT_FOLDED,
	OUT_SVG,
	OUT_CSV,
	OUT_PPROF,
	OUT_SPEEDSCOPE, /* before OUT_JSON, whose ending it has as well, as the next one */
	OUT_FIREFOX,
	OUT_JSON,
	OUT_FORMATS,
};

/* Returns the format for PATH's ending, or -1 if it is unknown. */
int output_format(const char *path);
const char *output_endings(void); /* returns ".rec .rec.zst …", for messages */

/*
 * Tries to create a file at PATH, and returns -1 and sets ERR if this fails. Must be called before
 * recording, as the user who will write. Does not detect errors that occur only during writing,
 * such as a full disk.
 */
int output_check(const char *path, struct strbuf *err);

/* Does the same for the folder DIR of output_report, which need not exist. */
int output_report_check(const char *dir, struct strbuf *err);

/*
 * Writes FORMAT to a new file atomically, with mode 0600. If PATH is "-", writes to stdout, whose
 * errors are detected when the caller closes it.
 */
int output_write(const struct output *output, enum output_format format, const char *path,
	struct strbuf *err);

/*
 * Creates a dated folder in DIR with the recording in most formats, callers.svg, summary.csv and
 * run.txt. *MADE is its path, which the caller frees.
 */
int output_report(const struct output *output, const char *dir, char **made, struct strbuf *err);

/*
 * Saves the recording after an output could not be written. Writes it to a new file
 * sample-bt-DATE-PID.rec, mode 0600, without following links, in the first directory of $TMPDIR,
 * /var/tmp, /tmp, $HOME and /dev/shm that has space for it. *PATH is freed by the caller. If all
 * directories fail, returns -1, sets ERR and sets *PATH to NULL.
 */
int output_rescue(const struct output *output, char **path, struct strbuf *err);

#endif
