/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for all programs: messages, version, checked output. */
#ifndef LIB_PROGRAM_H
#define LIB_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

struct strbuf;

/*
 * To be called first in main(). It does the following:
 *
 * - sets argp's version line and exit code for wrong usage (EXIT_USAGE_ERROR);
 * - makes failed writes errors instead of signals (SIGPIPE, SIGXFSZ);
 * - lets us wait for children (SIGCHLD), which the program that started us may have ignored;
 * - occupies the numbers of stdin, stdout and stderr if they are closed, so that no other file gets
 *   them: using the first two fails with EBADF;
 * - makes stdout show control characters as \xHH on a terminal;
 * - raises a small limit of the stack, or ends the program with a message.
 */
void program_init(void);

/* Restores the limit of the stack that was given to us, for a program that is to be executed. */
void program_restore_stack_limit(void);

/*
 * Keeps SIGINT, SIGTERM and SIGHUP from ending the program: program_is_stopped() tells whether one
 * has come. Signals that are ignored stay ignored.
 */
void program_catch_signals(void);
bool program_is_stopped(void);

/* Prints "NAME: MESSAGE" on stderr, one line; control characters are shown as \xHH. */
void program_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints each line of LINES (may be empty). */
void program_say_lines(const struct strbuf *lines);
void program_say_rest(struct strbuf *lines); /* releases LINES, too */

/*
 * Closes OUT and checks that everything was written. If not, returns -1 with errno, and prints a
 * message on stderr, except after EPIPE: the reader of a pipe is gone.
 */
int program_close(FILE *out, const char *path);

/*
 * Returns the exit code of a program that would end with STATUS. If others have stopped or killed
 * children that worked for the program, prints a message, and returns EXIT_PARTIAL instead of
 * EXIT_OK; see lib/untrusted/child.h.
 */
int program_end(int status);

#endif
