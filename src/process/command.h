/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command after "--", which is held before its first instruction until the probes are in place.
 */
#ifndef PROCESS_COMMAND_H
#define PROCESS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

struct command {
	char *path; /* of the program, found in $PATH */
	pid_t pid;
	int gate; /* pipe: a byte starts the program, EOF ends it; or -1 if it runs */
	bool ended;
	int status;
};

/*
 * Forks a child, which waits. VARIABLES, "NAME=VALUE" with NULL at the end, or NULL for none, are
 * added to the program's environment. Returns -1 and sets ERR if ARGV[0] is not found.
 */
int command_start(
	struct command *c, char *const argv[], char *const variables[], struct strbuf *err);
void command_go(struct command *c);
bool command_ended(struct command *c);
/*
 * Returns the exit code of a command that has ended, as in a shell: 128 plus the signal if a signal
 * ended it.
 */
int command_exit_code(const struct command *c);
/* Ends a program that was not started. A running program is left alone. */
void command_release(struct command *c);

#endif
