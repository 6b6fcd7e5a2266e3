/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that rose by more than --fail-above or --fail-growth allows, for people and for build
 * systems.
 */
#ifndef VIEW_DIFF_DIFF_LIMIT_H
#define VIEW_DIFF_DIFF_LIMIT_H

#include "diff_runs.h"
#include "diff_work.h"

#include <stdio.h>

struct strbuf;

#define DIFF_NO_LIMIT UINT64_MAX

/* What is allowed, in hundredths, or DIFF_NO_LIMIT. */
struct diff_limits {
	uint64_t rise;   /* of a share in percentage points, and of the total in per cent */
	uint64_t growth; /* of a share in per cent of what it was */
};

struct diff_limit {
	const struct diff_functions *functions; /* from RUNS if there are any */
	const struct diff_runs *runs;           /* or NULL */
	const struct diff_work *work;           /* or NULL */
	struct diff_pair totals;                /* of the medians, if there are runs */
	struct diff_limits limits;
	uint32_t tests; /* number of the shares that may be above the limit of growth */
	/*
	 * functions whose inclusive or self share of the total rose by more than a limit, and not
	 * by chance; the function with the largest rise comes first
	 */
	struct diff_rise {
		const struct diff_function *fn;
		struct diff_pair weights; /* the inclusive or the self weights, which rose more */
		bool self;
	} * above;
	uint32_t nr;
	/*
	 * The total, or its cost for a unit of work if that is known, rose by more per cent than
	 * limits.rise, and not by chance. False if only shares are compared.
	 */
	bool total;
	/* The same of a total that is not compared, as shares are and no work is known. */
	bool unseen_total;
	/* There are so few samples that a rise of a share would be put down to chance. */
	bool too_few;
};

/*
 * FUNCTIONS contains whole functions. RUNS, made from them, are compared by their medians instead
 * unless this is NULL. WORK, or NULL, is compared in place of totals. All of these outlive LIMIT.
 * Nothing is above the limit if there is no weight before.
 */
void diff_limit_init(struct diff_limit *limit, const struct diff_functions *functions,
	const struct diff_runs *runs, const struct diff_work *work, struct diff_limits limits);
void diff_limit_release(struct diff_limit *limit);

bool diff_limit_is_exceeded(const struct diff_limit *limit);

/*
 * Appends a line for each function, a line with their number and the totals, and lines about what
 * the comparison could not find.
 */
void diff_limit_lines(const struct diff_limit *limit, struct strbuf *out);

/* Appends a JSON object. */
void diff_limit_json(const struct diff_limit *limit, struct strbuf *out);

/*
 * Writes JUnit's XML, with a failed test for each function and for the total, or with a passed test
 * if nothing is above the limit. Returns -1 and sets ERR if OUT cannot be written.
 */
int diff_limit_junit(const struct diff_limit *limit, FILE *out, struct strbuf *err);

#endif
