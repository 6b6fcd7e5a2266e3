/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording in formats given by the endings of file names. */
#ifndef VIEW_OUTPUT_H
#define VIEW_OUTPUT_H

#include "view.h"

struct output {
	struct recording *rec; /* with names */
	const struct recording_view *view;
	enum demangle demangle;
	struct profile *profile; /* of rec, finished */
	bool skid;               /* late ticks are the callers', see skid.h */
};

enum output_format {
	OUT_REC,
	OUT_BT,
	OUT_FOLDED,
	OUT_SVG,
	OUT_CSV,
	OUT_PPROF,
	OUT_SPEEDSCOPE, /* before OUT_JSON, whose ending is a part of its own */
	OUT_JSON,
	OUT_FORMATS,
};

/* The format for PATH's ending; -1: unknown. */
int output_format(const char *path);
const char *output_endings(void); /* ".rec .bt …", for messages */

/*
 * To be called before recording, as the user who will write: -1 and ERR if no file can be created
 * at PATH, which is tried. Does not detect errors that occur only during writing, such as a full
 * disk.
 */
int output_check(const char *path, struct strbuf *err);

/* The same for the folder DIR of output_report, which may be there or not. */
int output_report_check(const char *dir, struct strbuf *err);

/*
 * Writes FORMAT to a new file, mode 0600, atomically, or, for "-", to stdout, whose errors are
 * detected when the caller closes it.
 */
int output_write(const struct output *output, enum output_format format, const char *path,
	struct strbuf *err);

/*
 * Creates a dated folder in DIR with all formats, callers.svg, summary.csv and run.txt; *MADE is
 * its path, freed by the caller.
 */
int output_report(const struct output *output, const char *dir, char **made, struct strbuf *err);

/*
 * If an output could not be written: writes the recording to a new file sample-bt-DATE-PID.rec,
 * mode 0600, without following links, in the first directory that has space for it of $TMPDIR,
 * /var/tmp, /tmp, $HOME, /dev/shm. *PATH is freed by the caller. -1, ERR and *PATH NULL: all
 * failed.
 */
int output_rescue(const struct output *output, char **path, struct strbuf *err);

#endif
