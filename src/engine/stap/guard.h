/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program that must not outlive this process. The program's parent is a child of this
 * process, the guard, in a session of its own. The guard passes requests on. However this process
 * ends, kill -9 included, the guard ends the program and unloads the kernel module that the program
 * loaded.
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
	pid_t pid;   /* of the guard, or 0 if there is none */
	pid_t child; /* of the program, or 0 if it is not reported yet */
	int status;  /* after the end: exit code, 128 + signal, or -1 if the guard was killed */
	int control, report, out, err;    /* the recorder's ends of the pipes, or -1 if closed */
	guard_output_fn *on_out, *on_err; /* stdout and stderr of the program */
	void *context;
};

#define GUARD_INIT                                                                                 \
	{                                                                                          \
		.control = -1, .report = -1, .out = -1, .err = -1                                  \
	}

/*
 * Starts the program ARGV[0], which is searched for in PATH, with stdin from /dev/null. MODULE is
 * the kernel module that it will load, or NULL. If the program is killed while the module is
 * loaded, the module's data is still read. The callbacks and the context must be set. Returns -1
 * with ERR on failure.
 */
int guard_start(
	struct guard *g, char *const argv[], const struct stap_module *module, struct strbuf *err);

/*
 * Waits for output, at most TIMEOUT_MS or until a signal, and passes it to the callbacks. Returns
 * true if the program has ended; then all of its output was passed on and status is set.
 */
bool guard_wait(struct guard *g, int timeout_ms);

/*
 * Ends the program. The first call sends SIGINT, the second call makes stapio end without waiting
 * for its output, and the third call kills the program.
 */
void guard_stop(struct guard *g);

/* Releases G. If the program is still running, the guard ends it. */
void guard_release(struct guard *g);

#endif
