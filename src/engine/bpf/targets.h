/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes and threads that a recording was asked for. */
#ifndef ENGINE_BPF_TARGETS_H
#define ENGINE_BPF_TARGETS_H

#include <stdint.h>

struct engine_request;
struct processes;
struct programs;
struct strbuf;

/*
 * Adds those of R that run, with their mappings; for all processes stops at END_NS (monotonic),
 * unless an interpreter has to be found in each. -1 and ERR: one is not there, or another user's.
 */
int targets_scan(
	const struct engine_request *r, struct processes *ps, int64_t end_ns, struct strbuf *err);

/* Tells the BPF programs which they are. -1 and ERR: there are too many. */
int targets_publish(
	const struct engine_request *r, const struct programs *programs, struct strbuf *err);

#endif
