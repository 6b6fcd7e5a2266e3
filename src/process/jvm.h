/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests the perf map of a HotSpot JVM, as jcmd does with Compiler.perfmap: the JVM is made to
 * listen on the socket /tmp/.java_pidN by a file /tmp/.attach_pidN and SIGQUIT, and then writes
 * /tmp/perf-N.map, all of it in its own root directory and with the number that it has itself.
 *
 * The target may be hostile, so a child does it with the effective user of the process and without
 * capabilities: it does nothing that this user could not do. It removes the files that it made, the
 * map too.
 */
#ifndef PROCESS_JVM_H
#define PROCESS_JVM_H

#include <stdbool.h>
#include <stdint.h>

enum jvm_end {
	JVM_PENDING,
	JVM_WROTE,     /* the map was received */
	JVM_HAS_MAP,   /* another file is in its place */
	JVM_OLD,       /* it does not know the command: before Java 17 */
	JVM_SILENT,    /* no answer in time, or the process is stopped */
	JVM_CLOSED,    /* it does not take requests */
	JVM_FAILED,    /* it answered, but there is no map */
	JVM_FORBIDDEN, /* we may not become its user or write to its /tmp */
	JVM_GONE,
	JVM_ENDS,
};

struct jvm_request {
	int socket; /* to the child */
};

/*
 * Sends the request to the process PID with the start time START (task_start); TMP is its /tmp, see
 * jitmap_tmp. The caller has made sure that a JVM runs in it and takes requests. False: it could
 * not be sent. Does not wait.
 */
bool jvm_request_start(struct jvm_request *r, uint32_t pid, uint64_t start, int tmp);

/*
 * What became of it so far; other than JVM_PENDING, after 25 s at the latest, it is released. *MAP:
 * with JVM_WROTE the open file or a copy of it, which the caller closes, else -1.
 */
enum jvm_end jvm_request_end(struct jvm_request *r, int *map);

/* Waits no longer; the child still removes its files. */
void jvm_request_release(struct jvm_request *r);

#endif
