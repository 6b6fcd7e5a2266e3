/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process that builds unwind tables during a recording. The targets' files are untrusted,
 * so it is confined (lib/untrusted/sandbox.h) and has only the file descriptors that it is sent;
 * its tables are validated.
 */
#ifndef ENGINE_BPF_BUILDER_H
#define ENGINE_BPF_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	BUILDER_DEPTH = 2, /* the builder has the next request when it sends a result */
	BUILDER_ANALYSED = 1 << 30,
};

struct builder {
	int socket; /* or -1 if the builder does not run */
	pid_t pid;
	bool hopeless;                    /* it cannot be confined here: do not start it again */
	bool signalled;                   /* another process has stopped or killed it */
	bool hurries;                     /* it has a high priority */
	uint32_t requests[BUILDER_DEPTH]; /* in flight; the first one is being built */
	uint32_t nr_requests;
	int64_t began_ns, began_cpu_ns; /* when the first one was begun, and its CPU time then */
	int64_t busy_ns;                /* processor time used for the results so far */
};

/*
 * Starts a builder. With HURRIES it has a high priority until it has used a reasonable share of
 * processor time.
 */
void builder_start(struct builder *b, bool hurries);
/* Stops the builder. The requests stay in *B. */
void builder_stop(struct builder *b);

/*
 * Requests the table of the file FD, analysed if ANALYSED is set, see unwind_build.h. NUMBER, which
 * must be below BUILDER_ANALYSED, identifies the result. Returns 0, or 1 if the builder has
 * BUILDER_DEPTH requests already, or -1 if it does not run.
 */
int builder_request(struct builder *b, uint32_t number, int fd, bool analysed);
/*
 * Receives a result without blocking. Returns true and sets *NUMBER to the number of the first
 * request and *FD to a file for unwind_table_open(), which the caller closes, or to -1 if the
 * requested file has no table. Returns false if no result is ready or the builder does not run any
 * more.
 */
bool builder_receive(struct builder *b, uint32_t *number, int *fd);

/*
 * Returns whether the first request has taken CPU_NS of processor time, or ten times as much by the
 * clock, or will not be answered because another process has stopped the builder. To be called from
 * time to time, because it also ends the high priority.
 */
bool builder_is_late(struct builder *b, int64_t cpu_ns);

#endif
