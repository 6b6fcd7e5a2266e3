/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process that builds unwind tables during a recording. The targets' files are untrusted,
 * so it has no privileges, only the file descriptors that it is sent; its tables are validated.
 */
#ifndef ENGINE_BPF_BUILDER_H
#define ENGINE_BPF_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct builder {
	int socket; /* -1: it did not start or has died */
	pid_t pid;
	uint32_t nr_requests; /* in flight */
};

void builder_start(struct builder *b);
void builder_stop(struct builder *b);

/*
 * Requests the table of the file FD; NUMBER identifies the result. 1: the socket is full, receive
 * results first; -1: there is no builder.
 */
int builder_request(struct builder *b, uint32_t number, int fd);
/*
 * Receives a result without blocking. True: NUMBER is that of the request and FD a file for
 * unwind_table_open, the caller's to close, or -1: the file has no table. False: no result is
 * ready.
 */
bool builder_receive(struct builder *b, uint32_t *number, int *fd);

#endif
