/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms, as tables whose rows are the octaves of a distribution. */
#ifndef LIB_FORMAT_HISTOGRAM_H
#define LIB_FORMAT_HISTOGRAM_H

#include "lib/distribution.h"
#include "lib/format/grid.h"

/* The columns: the two bounds of an octave, how many numbers are in it, and a bar for them. */
enum { HISTOGRAM_COLUMNS = 4 };

/* Adds the cell of a bound. */
typedef void histogram_bound(struct grid *g, uint64_t bound, const void *context);

/*
 * Initialises G with COLUMNS, which are kept, and fills it with NR octaves. Bars, which the
 * heaviest octave fills, are drawn in text only.
 */
void histogram_list(struct grid *g, const char *const columns[HISTOGRAM_COLUMNS],
	const struct distribution_octave *octaves, size_t nr, enum grid_format format,
	histogram_bound *add_bound, const void *context);

#endif
