/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a view writes its result: stdout, or the file of -o, which is complete or not there at all:
 * it is written under a temporary name and renamed. A FIFO or device, of root or of our own user,
 * and what stdout or stderr already lead to (/dev/stdout) are written directly. Messages go to
 * stderr.
 */
#ifndef VIEW_OUTPUT_FILE_H
#define VIEW_OUTPUT_FILE_H

#include "lib/tempfile.h"

#include <stdbool.h>
#include <stdio.h>

struct output_file {
	const char *path;   /* NULL and "-": stdout */
	bool open;          /* show the file in a browser; without a path it gets one of its own */
	const char *ending; /* of that: ".svg" */
	/* between begin and end */
	FILE *out;
	struct tempfile temporary;
	char *made; /* the path that it got */
};

/* Whether it is none, but stdout. */
bool output_file_is_stdout(const struct output_file *f);

/* Whether its name ends so, by which a program chooses the format. */
bool output_file_ends(const struct output_file *f, const char *ending);

/* Before the input is read: -1 and a message if the file cannot be written. */
int output_file_check(const struct output_file *f);

/* The stream to write to; NULL and a message on failure. */
FILE *output_file_begin(struct output_file *f);

/*
 * Ends the stream. With KEEP the file gets its name, and a message says so; without, an existing
 * file stays as it is. -1 if the result is not complete; the message has been printed.
 */
int output_file_end(struct output_file *f, bool keep);

#endif
