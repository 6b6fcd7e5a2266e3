/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program behind "--": held before its first instruction until the probes are in place. */
#ifndef PROCESS_COMMAND_H
#define PROCESS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct strbuf;

struct command {
	char *path; /* what will be executed, found through PATH */
	pid_t pid;
	int gate; /* a byte lets the program go, its end ends it; -1: it runs */
	bool ended;
	int status;
};

/* Forks; the child waits. -1 and ERR when ARGV[0] is no program. */
int command_start(struct command *c, char *const argv[], struct strbuf *err);
void command_go(struct command *c);
bool command_ended(struct command *c);
/* A program that never went is ended; one that runs is left alone. */
void command_release(struct command *c);

#endif
