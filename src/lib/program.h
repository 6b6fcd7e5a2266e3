/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every program does alike: its messages, its version, the end of its output. */
#ifndef LIB_PROGRAM_H
#define LIB_PROGRAM_H

#include <stdio.h>

struct strbuf;

/*
 * First thing in main: argp's version line and exit code for wrong usage (EXIT_USAGE_ERROR); what
 * cannot be written is an error and no signal (SIGPIPE, SIGXFSZ); stdin, stdout and stderr that
 * were closed are taken, so that no file that is opened later gets their numbers: using the former
 * two fails with EBADF.
 */
void program_init(void);

/* One line on stderr: "NAME: MESSAGE"; control characters in it are shown as \xHH. */
void program_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Says each line of LINES (empty: nothing). */
void program_say_lines(const struct strbuf *lines);

/*
 * Ends OUT and looks whether all of it arrived. -1, errno and a message on stderr when not; a
 * reader that went away (EPIPE) is told apart and stays silent, but fails, too.
 */
int program_close(FILE *out, const char *path);

#endif
