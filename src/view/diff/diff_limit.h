/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rose by more than --fail-above allows, for people and for what runs builds. */
#ifndef VIEW_DIFF_DIFF_LIMIT_H
#define VIEW_DIFF_DIFF_LIMIT_H

#include "diff_functions.h"

#include <stdio.h>

struct strbuf;

struct diff_limit {
	const struct diff_functions *functions;
	uint64_t hundredths; /* of per cent */
	/* those whose inclusive share of the total rose by more percentage points, and not by
	 * chance; that of the largest rise first */
	const struct diff_function **above;
	uint32_t nr;
	bool total; /* it rose by more per cent, and not by chance; false if shares are compared */
};

/* FUNCTIONS, which outlives it, is of whole functions. Nothing is above it if there is no weight
 * before. */
void diff_limit_init(
	struct diff_limit *limit, const struct diff_functions *functions, uint64_t hundredths);
void diff_limit_release(struct diff_limit *limit);

bool diff_limit_is_exceeded(const struct diff_limit *limit);

/* A line for each function, and one with their number and the totals. */
void diff_limit_lines(const struct diff_limit *limit, struct strbuf *out);

/* As an object. */
void diff_limit_json(const struct diff_limit *limit, struct strbuf *out);

/*
 * As JUnit's XML: a failed test for each function, and for the total; if there is none of these,
 * one that passed. -1 and ERR if OUT cannot be written.
 */
int diff_limit_junit(const struct diff_limit *limit, FILE *out, struct strbuf *err);

#endif
