/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that stands at its path only when it is whole: it is written beside it, under a name of
 * its own, and renamed. When the program ends before that, by exit or by SIGHUP, SIGINT, SIGQUIT or
 * SIGTERM, nothing of it stays; a signal that the program catches or ignores stays as it is.
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
 * Begins the file for PATH, mode 0600. Ends with tempfile_commit or tempfile_drop. -1 and errno:
 * nothing was begun.
 */
int tempfile_open(struct tempfile *t, const char *path);

/* Puts the file in place. -1 and errno when not all of it could be written: it is dropped. */
int tempfile_commit(struct tempfile *t);
void tempfile_drop(struct tempfile *t);

/* For a signal handler of the program's own that ends it: nothing that was begun stays. */
void tempfile_unlink_all(void);

#endif
