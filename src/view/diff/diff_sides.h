/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two sides of a comparison, each of one run or several. */
#ifndef VIEW_DIFF_DIFF_SIDES_H
#define VIEW_DIFF_DIFF_SIDES_H

#include "model/profile.h"

struct strbuf;

struct diff_sides {
	struct profile *const *runs; /* those before first; not owned */
	size_t nr, nr_before;
	struct profile *before, *after; /* runs, or their sums */
	struct profile sums[2];         /* not used with one run on each side */
};

/*
 * Makes the sides of NR runs, which are finished and count the same. Modules of the runs before get
 * the paths that they have after (diff_modules.h), and inlined functions that only one side knows
 * are left out (diff_inlines.h): NOTES says so. RUNS outlive S.
 */
void diff_sides_init(struct diff_sides *s, struct profile *const *runs, size_t nr, size_t nr_before,
	struct strbuf *notes);
void diff_sides_release(struct diff_sides *s);

/* Appends the weight of all stacks of SIDE: "1,302 samples", "34.09 MiB". */
void diff_sides_add_weight(struct strbuf *out, const struct profile *side);

#endif
