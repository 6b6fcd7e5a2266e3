/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times that differ from the rest of a recording, and the functions that make them differ. */
#ifndef VIEW_REPORT_OUTLIERS_H
#define VIEW_REPORT_OUTLIERS_H

#include "model/profile.h"

#include <stddef.h>
#include <stdint.h>

/* The time is compared in this many parts at most. */
enum { OUTLIERS_COLUMNS_MAX = 400 };

/* What a function does in a range of time. */
struct outlier {
	uint32_t first, end; /* the range's columns, from FIRST to before END */
	double from, to;     /* seconds after the begin of the recording */
	uint32_t frame;      /* one of the function's, or 0 for everything together */
	uint32_t depth;      /* of the function's first node, or 0 for everything together */
	uint64_t weight;     /* inclusive */
	uint64_t usual;      /* in as much time */
};

struct outlier_list {
	struct outlier *list; /* in order of time, and the heaviest functions first */
	size_t nr, alloc;
	uint32_t columns; /* number of parts of the time that were compared */
	double column_s;  /* length of one */
};

/* Sets L to the outliers of P, which is finished. Returns 1 if P has no times, otherwise 0. */
int outliers_find(struct outlier_list *l, const struct profile *p);
void outlier_list_release(struct outlier_list *l);

#endif
