/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic file output: the file is written under a temporary name in the same directory, and renamed
 * when complete. If the program ends before that, by exit or by SIGHUP, SIGINT, SIGQUIT or SIGTERM,
 * it is removed; signals that the program catches or ignores are left alone.
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
 * Creates the temporary file for PATH, mode 0600, to be ended by tempfile_commit or tempfile_drop.
 * -1 and errno on failure.
 */
int tempfile_open(struct tempfile *t, const char *path);

/* Whether a file could be made for PATH, and renamed to it: -1 and errno if not. It leaves none. */
int tempfile_check(const char *path);

/* Renames the file to its path. -1 and errno if writing failed: the file is removed. */
int tempfile_commit(struct tempfile *t);
void tempfile_drop(struct tempfile *t);

/* For a signal handler that ends the program: removes all temporary files. */
void tempfile_unlink_all(void);

#endif
