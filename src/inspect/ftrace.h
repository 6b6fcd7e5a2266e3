/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracer function_graph, which prints the calls of kernel functions with their times.
 * There is one for the whole system: an instance of tracefs has no set_graph_function. Its settings
 * are restored at the end by a child, the guard, however this program ends.
 */
#ifndef INSPECT_FTRACE_H
#define INSPECT_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct strbuf;

struct ftrace_request {
	const char *const *functions; /* their whole call trees are traced */
	size_t nr_functions;
	uint32_t pid;    /* only this process and what it starts, or 0 for all */
	unsigned depth;  /* of calls, or 0 for all */
	unsigned buffer; /* KiB for each processor */
};

struct ftrace {
	char *folder; /* where tracefs is mounted */
	int pipe;     /* its trace_pipe, or -1 */
	int guarded;  /* the guard restores the settings when this end of a pipe is closed, or -1 */
	pid_t guard;
};

/*
 * Sets up the tracer, which does not run yet. Fails with ERR if somebody else uses it, if this
 * kernel lacks it, or if it does not know one of the functions; ftrace_end() must follow.
 */
int ftrace_begin(struct ftrace *f, const struct ftrace_request *request, struct strbuf *err);

/* Starts or stops the tracer. */
int ftrace_run(const struct ftrace *f, bool on, struct strbuf *err);

/*
 * Waits up to TIMEOUT_MS for text of the trace and writes it to OUT. Returns the number of bytes,
 * or -1 with ERR.
 */
ssize_t ftrace_copy(const struct ftrace *f, int timeout_ms, FILE *out, struct strbuf *err);

/* Returns how many calls and returns were lost because the buffers were full. */
uint64_t ftrace_lost(const struct ftrace *f);

/* Restores the settings. Returns -1 with ERR if they could not be restored. */
int ftrace_end(struct ftrace *f, struct strbuf *err);

#endif
