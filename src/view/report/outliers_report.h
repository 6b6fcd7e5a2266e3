/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of the times that differ from the rest of a recording. */
#ifndef VIEW_REPORT_OUTLIERS_REPORT_H
#define VIEW_REPORT_OUTLIERS_REPORT_H

#include "lib/format/grid.h"
#include "model/profile.h"

#include <stdint.h>
#include <stdio.h>

/*
 * Writes a row for each function in each outlier, in order of time: all, if TOP is 0, or the TOP
 * rows that differ most from what is usual. P is finished. Returns 1 if P has no times, otherwise
 * 0.
 */
int outliers_report(const struct profile *p, enum grid_format format, uint32_t top, FILE *out);

#endif
