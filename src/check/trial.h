/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of this process itself, to see whether an engine works on this machine. */
#ifndef CHECK_TRIAL_H
#define CHECK_TRIAL_H

#include "engine/engine.h"

struct trial {
	uint64_t samples,
		whole; /* whole: with stacks that all end at the thread's first function */
	char *log;     /* what the engine said when it did not start, or NULL; the caller's */
};

/*
 * Records what REQUEST asks for, but of this process, for some 20 ms of its CPU time; takes the
 * probes out again. 0: it works, even if no sample came; -1 and ERR: it does not.
 */
int trial_run(const struct engine_ops *ops, const struct engine_request *request,
	struct trial *trial, struct strbuf *err);

#endif
