/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records this process itself, to see whether an engine works on this machine. */
#ifndef CHECK_TRIAL_H
#define CHECK_TRIAL_H

#include "engine/engine.h"

struct trial {
	uint64_t samples, whole; /* whole stacks reach the thread's first function */
	char *log; /* messages of an engine that did not start, or NULL; the caller frees it */
};

/*
 * Records this process with the options of REQUEST, for about 20 ms of its CPU time, then removes
 * the probes. Returns 0 if this works, even if there was no sample. Returns -1 and sets ERR if it
 * does not work.
 */
int trial_run(const struct engine_ops *ops, const struct engine_request *request,
	struct trial *trial, struct strbuf *err);

#endif
