/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several runs before and after a change, compared by medians and by their ranks. */
#ifndef VIEW_DIFF_DIFF_RUNS_H
#define VIEW_DIFF_DIFF_RUNS_H

#include "diff_functions.h"
#include "diff_sides.h"

struct diff_runs {
	struct diff_pair nr; /* numbers of runs */
	size_t least;        /* see diff_runs_least() */
	/*
	 * The same functions in the same order, with the medians of their shares as weights, in
	 * units of 1 / scale.total. The strings belong to the functions that it was made from.
	 */
	struct diff_functions medians;
	struct diff_rose {
		bool self, inclusive;
	} * rose; /* for each function: shares of the runs and of their sum rose, not by chance */
	struct diff_pair totals; /* medians */
	bool total_rose;
};

/*
 * Compares the runs of SIDES. FUNCTIONS are the whole functions of the sides, and outlive RUNS.
 */
void diff_runs_init(
	struct diff_runs *runs, struct diff_functions *functions, const struct diff_sides *sides);
void diff_runs_release(struct diff_runs *runs);

/*
 * Returns how many of all pairs of a run before and a run after must have risen for a rise that is
 * not by chance: by the one-sided test of Mann and Whitney at 5 %, or all where the runs are too
 * few for that.
 */
size_t diff_runs_least(struct diff_pair nr);

/* Whether LEAST pairs of the NR values rose. Those before come first. */
bool diff_runs_rose(const uint64_t *values, struct diff_pair nr, size_t least);

/* Returns the medians of both sides' values, which become sorted. */
struct diff_pair diff_runs_medians(uint64_t *values, struct diff_pair nr);

#endif
