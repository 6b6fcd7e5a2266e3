/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests the perf map of a HotSpot JVM, as jcmd does with Compiler.perfmap. A file
 * /tmp/.attach_pidN and SIGQUIT make the JVM listen on the socket /tmp/.java_pidN. It then writes
 * /tmp/perf-N.map. All paths are in the JVM's own root directory, and N is the PID that the JVM
 * itself sees.
 *
 * The target may be hostile. Therefore a child sends the request with the effective user of the
 * process and without capabilities: it can do nothing that this user could not do. It removes the
 * files that it made, including the map.
 */
#ifndef RUNTIME_JAVA_JVM_H
#define RUNTIME_JAVA_JVM_H

#include <stdbool.h>
#include <stdint.h>

enum jvm_end {
	JVM_PENDING,
	JVM_WROTE,     /* the map was received */
	JVM_HAS_MAP,   /* another file is in its place */
	JVM_OLD,       /* it does not know the command, which is new in Java 17 */
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
 * Sends the request to process PID with the start time START (task_start()). TMP is its /tmp, see
 * jitmap_tmp(). The caller has made sure that a JVM runs in it and takes requests. Returns false if
 * it could not be sent. Does not wait.
 */
bool jvm_request_start(struct jvm_request *r, uint32_t pid, uint64_t start, int tmp);

/*
 * Returns the state of the request. After 25 s at the latest it is not JVM_PENDING, and the request
 * is released. With JVM_WROTE, *MAP is the open file or a copy of it, which the caller closes,
 * otherwise -1.
 */
enum jvm_end jvm_request_end(struct jvm_request *r, int *map);

/* Stops waiting. The child still removes its files. */
void jvm_request_release(struct jvm_request *r);

#endif
