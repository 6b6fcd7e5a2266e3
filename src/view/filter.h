/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters of the call tree, applied before any view. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include "function_match.h"
#include "model/profile.h"

#include <stdbool.h>

struct strbuf;

struct filter {
	bool skid; /* count late ticks for the callers (skid.h) */
	/*
	 * Only stacks with functions that match one of ONLY, and one of MODULES, if there are any,
	 * and with none that matches one of EXCLUDE.
	 */
	struct function_match_list only, modules, exclude;
	struct function_match_list skip_after; /* remove callers of the match nearest to the leaf */
	bool reverse; /* the leaf is at the root, followed by its callers */
};

void filter_release(struct filter *filter);

/*
 * Applies the members of FILTER, which are settled, to P, in their order. Must be called before
 * profile_finish. The weight of removed stacks is moved to left_out in P's account, and reported in
 * NOTES. Returns -1 with the reason in NOTES if P has too many frames to be reversed.
 */
int filter_apply(const struct filter *filter, struct profile *p, struct strbuf *notes);

/*
 * Adds the stacks of P to OUT, with the leaf at the root. OUT was just initialised; the caller
 * finishes it. Returns -1 with the reason in ERR if there are too many frames.
 */
int filter_reverse(const struct profile *p, struct profile *out, struct strbuf *err);
/* Does the same in place. P is unchanged on failure. */
int filter_turn(struct profile *p, struct strbuf *err);

#endif
