/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of the report formats. */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include "entries.h"
#include "lib/strbuf.h"
#include "view/function_match.h"
#include "view/view.h"

struct report {
	const struct profile *p;
	const struct report_options *options;
	struct report_entries rows;
	struct report_entry of; /* for callers and callees: the functions that match */
	FILE *out;
	struct strbuf text; /* not yet written */
};

/*
 * Whether rows are callers or callees, and whether rows have only one weight, as callers, callees,
 * tasks and labels have.
 */
bool report_is_of_calls(const struct report *r);
bool report_has_one_weight(const struct report *r);

/* Returns the unit of counts number I, for a column of its own, or NULL if there are no counts. */
const char *report_counted(const struct report *r, size_t i);

/*
 * Returns the unit of the column with what each of the first counts has taken, "ns" or "bytes", or
 * NULL if there is no such column.
 */
const char *report_each_unit(const struct report *r);

/* Returns the value in this column of ROW, or a negative number if it is not known. */
double report_each(const struct report *r, const struct report_entry *row);

/* Returns the weight that is 100 %. */
uint64_t report_whole(const struct report *r);

/* Returns how many of the rows are shown. */
uint32_t report_rows(const struct report *r);

/* Returns the name of a row, or "[root]" if there is no caller. */
const char *report_name(const struct report *r, const struct report_entry *row, size_t *len);

void report_text(struct report *r);

#endif
