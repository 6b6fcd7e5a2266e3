/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of requests, overall and for each value of a label. */
#ifndef TOOL_REQUESTS_REQUEST_COUNTS_H
#define TOOL_REQUESTS_REQUEST_COUNTS_H

#include "lib/distribution.h"
#include "request_results.h"

struct request_counts {
	uint32_t by;               /* enum nginx_key, or NGINX_KEYS if there are no groups */
	struct distribution total; /* times in ns */
	struct request_group {
		uint64_t value; /* of the label */
		struct distribution times;
	} * groups; /* the ones with most time first */
	size_t nr, alloc;
	uint64_t by_clock;          /* requests that are timed by nginx's clock */
	uint64_t undecided, others; /* requests with an unknown text: of `where`, of `by` */
};

/* Adds up the rows of T that R selects. C is initialised with `by` only. */
void request_counts_read(
	struct request_counts *c, const struct request_timing *t, const struct request_results *r);
void request_counts_release(struct request_counts *c);

#endif
