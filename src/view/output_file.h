/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of a view's result: stdout, or the file of -o. The file is written under a
 * temporary name and renamed, so that it is complete or does not exist. Two kinds of files are
 * written directly: a FIFO or device of root or of our own user, and the file that stdout or stderr
 * already leads to (/dev/stdout). Messages go to stderr.
 */
#ifndef VIEW_OUTPUT_FILE_H
#define VIEW_OUTPUT_FILE_H

#include "lib/tempfile.h"

#include <stdbool.h>
#include <stdio.h>

struct output_file {
	const char *path;   /* NULL and "-" mean stdout */
	bool open;          /* show the file in a browser; without a path, make a new file */
	const char *ending; /* ending of the new file: ".svg" */
	/* valid between begin and end */
	FILE *out;
	struct tempfile temporary;
	char *made; /* path of the new file */
};

/* Whether the output is stdout, not a file. */
bool output_file_is_stdout(const struct output_file *f);

/* Whether the name of the file has this ending, by which a program chooses the format. */
bool output_file_ends(const struct output_file *f, const char *ending);

/*
 * Returns -1 and prints a message if the file cannot be written. Called before the input is read.
 */
int output_file_check(const struct output_file *f);

/* Returns the stream to write to. Returns NULL and prints a message on failure. */
FILE *output_file_begin(struct output_file *f);

/*
 * Ends the stream. With KEEP, the file gets its name, and a message says so. Without KEEP, an
 * existing file stays as it is. Returns -1 if the result is not complete; the message has been
 * printed.
 */
int output_file_end(struct output_file *f, bool keep);

#endif
