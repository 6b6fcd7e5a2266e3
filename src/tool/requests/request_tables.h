/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of ngx-latency(1). */
#ifndef TOOL_REQUESTS_REQUEST_TABLES_H
#define TOOL_REQUESTS_REQUEST_TABLES_H

#include "lib/format/grid.h"
#include "request_counts.h"

enum request_table {
	REQUEST_TOTAL,
	REQUEST_BY,
	REQUEST_HISTOGRAM,
	REQUEST_SLOWEST,
	REQUEST_TABLES
};
extern const char *const request_table_names[]; /* ended by NULL */

/* The labels by which requests are grouped and selected; the names are ended by NULL. */
extern const char *const request_label_names[];
extern const uint32_t request_label_keys[]; /* enum nginx_key, in the order of the names */

struct request_tables {
	const struct request_counts *counts;
	const struct request_results *results;
	enum grid_format format;
	bool phases;    /* the slowest have phases */
	double seconds; /* for how long requests were counted */
};

/* Prints the table ONLY, or all that have rows if it is REQUEST_TABLES. */
void request_tables_print(struct request_tables *t, enum request_table only);

#endif
