/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common to all programs: messages, version, checked output. */
#ifndef LIB_PROGRAM_H
#define LIB_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

struct strbuf;

/*
 * To be called first in main. Sets argp's version line and exit code for wrong usage
 * (EXIT_USAGE_ERROR); makes failed writes errors instead of signals (SIGPIPE, SIGXFSZ); lets us
 * wait for children (SIGCHLD), which whoever started us may have ignored; if stdin, stdout or
 * stderr are closed, occupies their numbers, so that no other file gets them: using the first two
 * fails with EBADF. On a terminal, stdout shows control characters as \xHH. A small limit of the
 * stack is raised, or the program ends with a message.
 */
void program_init(void);

/* For a program that is to be executed: the limit of the stack as it was given to us. */
void program_restore_stack_limit(void);

/*
 * From now on SIGINT, SIGTERM and SIGHUP do not end the program: program_is_stopped() tells whether
 * one has come. Those that are ignored stay ignored.
 */
void program_catch_signals(void);
bool program_is_stopped(void);

/* Prints "NAME: MESSAGE" on stderr, one line; control characters are shown as \xHH. */
void program_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints each line of LINES (may be empty). */
void program_say_lines(const struct strbuf *lines);

/*
 * Closes OUT and checks that everything was written. If not: -1, errno, and a message on stderr,
 * except after EPIPE: the reader of a pipe is gone.
 */
int program_close(FILE *out, const char *path);

/*
 * The exit code of a program that would end with STATUS: EXIT_PARTIAL instead of EXIT_OK, and a
 * message, if others have stopped or killed children that worked for it, see
 * lib/untrusted/child.h.
 */
int program_end(int status);

#endif
