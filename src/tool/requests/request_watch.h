/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows nginx while its requests are timed. */
#ifndef TOOL_REQUESTS_REQUEST_WATCH_H
#define TOOL_REQUESTS_REQUEST_WATCH_H

#include "request_results.h"

struct request_watch {
	uint32_t pid; /* the process that was given */
	double share; /* per cent of the time in which requests are timed */
	struct request_timing *timing;
	struct request_results *results;
	double elapsed, covered; /* the result: seconds of the recording, of the turns in it */

	uint64_t turn_ns; /* start of the last turn, if the share is below 100 */
	int64_t swept_ns; /* when ended processes were last forgotten */
	bool root_ended;  /* the process that was given has ended */
};

/*
 * Takes results until the time is up, after a signal, or when nginx has ended, and sorts them.
 * Returns -1 and sets ERR if it cannot go on; the counts until then are available.
 */
int request_watch(struct request_watch *w, struct strbuf *err);

#endif
