/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command after "--": held before its first instruction until the probes are in place. */
#ifndef PROCESS_COMMAND_H
#define PROCESS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

struct command {
	char *path; /* to be executed, found in $PATH */
	pid_t pid;
	int gate; /* pipe: a byte starts the program, EOF ends it; -1: it runs */
	bool ended;
	int status;
};

/* Forks; the child waits. -1 and ERR if ARGV[0] is not found. */
int command_start(struct command *c, char *const argv[], struct strbuf *err);
void command_go(struct command *c);
bool command_ended(struct command *c);
/* The exit code of one that has ended, as in a shell: 128 and the signal if it ended by one. */
int command_exit_code(const struct command *c);
/* Ends a program that was not started; a running one is left alone. */
void command_release(struct command *c);

#endif
