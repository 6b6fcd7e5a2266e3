/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of this process itself, to see whether an engine works on this machine. */
#ifndef CHECK_TRIAL_H
#define CHECK_TRIAL_H

#include "engine/engine.h"

struct trial {
	uint64_t samples, whole; /* whole: all stacks reach the thread's first function */
	char *log; /* messages of an engine that did not start, or NULL; the caller frees it */
};

/*
 * Records as in REQUEST, but this process, for about 20 ms of its CPU time, then removes the
 * probes. 0: it works, even if no sample came; -1 and ERR: it does not.
 */
int trial_run(const struct engine_ops *ops, const struct engine_request *request,
	struct trial *trial, struct strbuf *err);

#endif
