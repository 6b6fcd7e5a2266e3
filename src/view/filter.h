/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a call tree, or the tree from its leaves: what is done before any view. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include "lib/pattern.h"
#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct filter {
	struct pattern *only; /* only stacks with a function that matches one of them; none: all */
	size_t nr_only, only_alloc;
	struct pattern
		*skip_after; /* callers of the match that is nearest to the leaf are left out */
	size_t nr_skip_after, skip_after_alloc;
	bool reverse; /* leaf at the root: who calls */
};

void filter_release(struct filter *filter);

/* -1: PATTERN is none (pattern.h). */
int filter_add_only(struct filter *filter, const char *pattern);
int filter_add_skip_after(struct filter *filter, const char *pattern);

/*
 * To be called before profile_finish: makes P what the filter leaves, in the order of its members.
 * What is left out is in no part of P's account but left_out, and said in NOTES. -1 and the
 * reason there: P has too many frames to be turned round.
 */
int filter_apply(const struct filter *filter, struct profile *p, struct strbuf *notes);

/*
 * The stacks of P, leaf at the root. OUT was just initialised; finishing it is the caller's. -1 and
 * the reason in ERR: there are too many frames.
 */
int filter_reverse(const struct profile *p, struct profile *out, struct strbuf *err);

#endif
