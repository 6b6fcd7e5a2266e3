/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times that differ from the rest of a recording, and the functions that make them differ. */
#ifndef VIEW_REPORT_OUTLIERS_H
#define VIEW_REPORT_OUTLIERS_H

#include "lib/format/grid.h"
#include "model/profile.h"

#include <stdio.h>

/*
 * Writes a row for each function in each outlier, with the ranges in order of time. P is finished.
 * Returns 1 if P has no times, otherwise 0.
 */
int outliers_report(const struct profile *p, enum grid_format format, FILE *out);

#endif
