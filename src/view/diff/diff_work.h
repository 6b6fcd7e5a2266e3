/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a unit of work costs before and after: the total of a run, divided by the work that it did.
 */
#ifndef VIEW_DIFF_DIFF_WORK_H
#define VIEW_DIFF_DIFF_WORK_H

#include "diff_sides.h"

#include <stdbool.h>
#include <stdint.h>

struct diff_work {
	/* The costs, or their medians with several runs on a side: in ns if TIME, else in UNIT. */
	double before, after;
	bool is_time;
	bool rose; /* not by chance */
	const char *unit;
};

/*
 * WORK has the number of units of work that each run of SIDES did, which are above 0. Samples are
 * counted as the CPU time between two of them if that is known for all runs.
 */
void diff_work_init(struct diff_work *w, const struct diff_sides *sides, const double *work);

/* Whether a unit costs more by above LIMIT hundredths of per cent, and not by chance. */
bool diff_work_is_above(const struct diff_work *w, uint64_t limit);

/* Appends "rose from 1.302 ms to 2.331 ms, by 79.03 %". */
void diff_work_add(const struct diff_work *w, struct strbuf *out);

/* Appends a JSON object with the unit, the costs and the change in per cent. */
void diff_work_json(const struct diff_work *w, struct strbuf *out);

#endif
