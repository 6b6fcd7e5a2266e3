/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic file output: the file is written under a temporary name in the same directory, and renamed
 * when it is complete. If the program ends before that, by exit or by SIGHUP, SIGINT, SIGQUIT or
 * SIGTERM, the temporary file is removed. Signals that the program catches or ignores are left
 * alone.
 */
#ifndef LIB_TEMPFILE_H
#define LIB_TEMPFILE_H

#include <stdio.h>

struct tempfile {
	FILE *out; /* to write to */
	char *path, *temporary;
	struct tempfile *next;
};

/*
 * Creates the temporary file for PATH, mode 0600, to be ended by tempfile_commit() or
 * tempfile_drop(). Returns -1 with errno on failure.
 */
int tempfile_open(struct tempfile *t, const char *path);

/*
 * Checks that a file can be made for PATH and renamed to it. Returns -1 with errno if not. Leaves
 * no file.
 */
int tempfile_check(const char *path);

/* Renames the file to its path. Returns -1 with errno and removes the file if writing failed. */
int tempfile_commit(struct tempfile *t);
void tempfile_drop(struct tempfile *t);

/* Removes all temporary files. To be called by a signal handler that ends the program. */
void tempfile_unlink_all(void);

#endif
