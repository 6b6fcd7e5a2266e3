/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common part of the report formats. */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include "functions.h"
#include "lib/pattern.h"
#include "lib/strbuf.h"
#include "view/view.h"

struct report {
	const struct profile *p;
	const struct report_options *options;
	struct functions rows;
	struct function of; /* of callers and callees: the functions that match */
	FILE *out;
	struct strbuf text; /* not yet written */
};

/* True for callers or callees; whether rows have only one weight, as these, tasks and labels. */
bool report_is_of_calls(const struct report *r);
bool report_has_one_weight(const struct report *r);

/* What was counted besides, for a column of its own: "requests"; NULL: nothing. */
const char *report_counted(const struct report *r);

/* The ns of time for each of what was counted for ROW; negative: not known. */
double report_ns_each(const struct report *r, const struct function *row);

/* What 100 % are. */
uint64_t report_whole(const struct report *r);

/* The column of the names of groups: "module", "value". */
const char *report_group_word(const struct report *r);

/* The name of a row; "[root]" if there is no caller. */
const char *report_name(const struct report *r, const struct function *row, size_t *len);

void report_text(struct report *r);

#endif
