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
	BUILDER_DEPTH = 2, /* the next request is there when a result is sent */
	BUILDER_ANALYSED = 1 << 30,
};

struct builder {
	int socket; /* -1: it does not run */
	pid_t pid;
	bool hopeless;                    /* it cannot be confined here: not to be started again */
	bool signalled;                   /* it was, when it ended, see lib/untrusted/child.h */
	bool hurries;                     /* it has a high priority */
	uint32_t requests[BUILDER_DEPTH]; /* in flight, the first one is being built */
	uint32_t nr_requests;
	int64_t began_ns, began_cpu_ns; /* when the first one was, and its processor time then */
	int64_t busy_ns;                /* processor time of the results so far */
};

/* HURRIES: with a high priority, until it has used a reasonable share of processor time. */
void builder_start(struct builder *b, bool hurries);
/* The requests stay in *B. */
void builder_stop(struct builder *b);

/*
 * Requests the table of the file FD, ANALYSED or not, see unwind_build.h; NUMBER, which is below
 * BUILDER_ANALYSED, identifies the result. 1: it has BUILDER_DEPTH requests already; -1: it does
 * not run.
 */
int builder_request(struct builder *b, uint32_t number, int fd, bool analysed);
/*
 * Receives a result without blocking. True: NUMBER is that of the first request and FD a file for
 * unwind_table_open, the caller's to close, or -1: the file has no table. False: no result is
 * ready, or it does not run any more.
 */
bool builder_receive(struct builder *b, uint32_t *number, int *fd);

/*
 * True if the first request has taken CPU_NS of processor time, or ten times that by the clock, or
 * will not be answered, as another process has stopped the builder. To be called from time to time:
 * it also ends the high priority.
 */
bool builder_is_late(struct builder *b, int64_t cpu_ns);

#endif
