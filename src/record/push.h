/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that sends the windows of a spool while the recorder runs: bt-fleet. */
#ifndef RECORD_PUSH_H
#define RECORD_PUSH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct strbuf;

struct push {
	const char *url, *folder;
	pid_t pid;        /* 0 if it does not run */
	int pipe;         /* it ends, after its last windows, when this is closed */
	int64_t began_ns; /* monotonic */
	int64_t not_before_ns;
	unsigned wait_s; /* before it is started again */
};

/* Starts it. Returns -1 with a message on failure. */
int push_begin(struct push *p, const char *url, const char *folder, struct strbuf *err);
/*
 * To be called at each window. Says that it has ended, and starts it again: at once, or after 1, 2,
 * 4 seconds, up to 5 minutes, if it ended within a minute.
 */
void push_watch(struct push *p);
/* Lets it send what is left, also if it had ended. Returns whether all was sent. */
bool push_end(struct push *p);

#endif
