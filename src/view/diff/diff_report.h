/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of changes from one profile to another. Changes are in per cent of the total before or, if
 * normalized, in percentage points: the share after minus the share before. The functions return -1
 * with a message in ERR if OUT cannot be written.
 */
#ifndef VIEW_DIFF_DIFF_REPORT_H
#define VIEW_DIFF_DIFF_REPORT_H

#include <stdbool.h>
#include <stdio.h>

struct diff_functions;
struct diff_limit;
struct strbuf;

/*
 * Writes CSV with the columns
 * function,module,category,self_before,self_after,self_delta,self_delta_pct,inclusive_before,
 * inclusive_after,inclusive_delta,inclusive_delta_pct,status.
 */
int diff_report_csv(const struct diff_functions *f, FILE *out, struct strbuf *err);
/* Writes JSON. LIMIT may be NULL. */
int diff_report_json(const struct diff_functions *f, const struct diff_limit *limit, FILE *out,
	struct strbuf *err);

/*
 * Writes a text table of the N functions that changed most, without unchanged functions. Names may
 * be SHORT (symbol/names/short_name.h).
 */
int diff_report_top(const struct diff_functions *f, unsigned n, bool short_names, FILE *out,
	struct strbuf *err);

#endif
