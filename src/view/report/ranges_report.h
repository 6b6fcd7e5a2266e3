/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distribution of the values of events as tables: mean, percentiles and histogram. */
#ifndef VIEW_REPORT_RANGES_REPORT_H
#define VIEW_REPORT_RANGES_REPORT_H

#include "lib/format/grid.h"

#include <stdio.h>

struct profile;

/*
 * Writes the distribution of P's values to OUT, for each value of the label KEY or, if that is
 * NULL, overall, with a histogram; as CSV there is only the histogram. Returns -1 if P has none.
 */
int ranges_report(const struct profile *p, const char *key, enum grid_format format, FILE *out);

#endif
