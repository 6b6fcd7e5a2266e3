/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program that must not outlive this process. Its parent is a process of ours, the guard, in
 * a session of its own: it passes requests on, and however this process ends, kill -9 included, it
 * ends the program and unloads the kernel module that the program loaded.
 */
#ifndef ENGINE_STAP_GUARD_H
#define ENGINE_STAP_GUARD_H

#include "stap_module.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct strbuf;

/* Receives output of the program. */
typedef void guard_output_fn(void *context, const char *text, size_t len);

struct guard {
	pid_t pid;   /* of the guard, 0: none */
	pid_t child; /* of the program, 0: not reported yet */
	int status;  /* after the end: exit code, 128 + signal, or -1: the guard was killed */
	int control, report, out, err;    /* our ends of the pipes, -1: closed */
	guard_output_fn *on_out, *on_err; /* stdout and stderr of the program */
	void *context;
};

#define GUARD_INIT                                                                                 \
	{                                                                                          \
		.control = -1, .report = -1, .out = -1, .err = -1                                  \
	}

/*
 * Starts the program ARGV[0], found in PATH, with stdin from /dev/null. MODULE: the kernel module
 * that it will load, NULL: none; if the program is killed while that is loaded, its data is still
 * read. The callbacks and the context must be set. -1 and ERR on failure.
 */
int guard_start(
	struct guard *g, char *const argv[], const struct stap_module *module, struct strbuf *err);

/*
 * Waits for output, at most TIMEOUT_MS or until a signal, and passes it to the callbacks. True: the
 * program has ended, all of its output has been passed on and STATUS is set.
 */
bool guard_wait(struct guard *g, int timeout_ms);

/*
 * Ends the program: the first call sends SIGINT, the second one makes stapio end without waiting
 * for its output, the third one kills.
 */
void guard_stop(struct guard *g);

/* The guard ends a program that is still running. */
void guard_release(struct guard *g);

#endif
