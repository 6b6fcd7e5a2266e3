/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that ends when we do. Between it and us stands a process of ours, the guard, in a
 * session of its own: it passes our wishes on, and however we end, kill -9 included, it ends the
 * program and unloads the kernel module that the program loaded.
 */
#ifndef ENGINE_STAP_GUARD_H
#define ENGINE_STAP_GUARD_H

#include "stap_module.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;

/* Takes in what the program wrote. */
typedef void guard_taker(void *context, const char *text, size_t len);

struct guard {
	pid_t pid;   /* of the guard, 0: none */
	pid_t child; /* of the program, 0: not yet told */
	int status;  /* after the end: exit code, or 128 and the signal; -1: the guard was killed */
	int control, report, out, err; /* our ends of the pipes, -1: closed */
	guard_taker *take_out, *take_err;
	void *context;
};

#define GUARD_INIT                                                                                 \
	{                                                                                          \
		.control = -1, .report = -1, .out = -1, .err = -1                                  \
	}

/*
 * Starts the program ARGV[0], found by PATH, without input. MODULE: the kernel module that it will
 * load, NULL: none. Should the program be killed while that is loaded, what it gathered is still
 * fetched. The takers and the context must be set. -1 and ERR on failure.
 */
int guard_start(
	struct guard *g, char *const argv[], const struct stap_module *module, struct strbuf *err);

/*
 * Waits up to TIMEOUT_MS or a signal and hands over what came. True: the program has ended, all it
 * wrote was handed over and STATUS is set.
 */
bool guard_wait(struct guard *g, int timeout_ms);

/* Asks the program to end by SIGINT; the second time it shall not wait for its output, the third
 * kills. */
void guard_stop(struct guard *g);

/* Lets go: a program that still runs will be ended by the guard. */
void guard_release(struct guard *g);

#endif
