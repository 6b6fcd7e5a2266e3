/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of two profiles (entries.h) side by side. */
#ifndef VIEW_DIFF_DIFF_FUNCTIONS_H
#define VIEW_DIFF_DIFF_FUNCTIONS_H

#include "diff.h"
#include "lib/strpool.h"

struct rules;

struct diff_function {
	uint32_t name, module, category; /* in names */
	bool kernel;                     /* as in entries.h */
	struct diff_pair self, inclusive;
};

struct diff_functions {
	const char *unit; /* unit of the profile before */
	struct diff_scale scale;
	struct strpool names;
	/*
	 * sorted by the change of self weight, then by the change of inclusive weight (both
	 * descending), then by name, module, category and kernel
	 */
	struct diff_function *list;
	uint32_t nr;
};

/*
 * BEFORE and AFTER are finished and in the same unit. BEFORE outlives F. If RULES is NULL, the
 * built-in rules are used.
 */
void diff_functions_init(struct diff_functions *f, const struct profile *before,
	const struct profile *after, bool normalized, const struct rules *rules);
/* Does the same without categories: there is one entry per function. */
void diff_functions_init_whole(struct diff_functions *f, const struct profile *before,
	const struct profile *after, bool normalized);
void diff_functions_release(struct diff_functions *f);

/* Returns "new", "removed", "same" or "changed", by the steps of inclusive and self weight. */
const char *diff_function_status(const struct diff_functions *f, const struct diff_function *fn);

#endif
