/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree as a table: whole, or only what functions call, or who calls them. Heavy branches
 * come first.
 */
#ifndef VIEW_REPORT_TREE_REPORT_H
#define VIEW_REPORT_TREE_REPORT_H

#include "lib/format/grid.h"
#include "view/view.h"

#include <stdio.h>

struct tree_options {
	enum report_of of; /* REPORT_CALLERS or REPORT_CALLEES of FN, or the whole tree */
	const struct function_match *fn;
	unsigned depth;   /* frames from the root, or 0 for all */
	double min_share; /* percentage of the total; branches with less are added up */
	enum grid_format format;
	bool short_names; /* in text (symbol/names/short_name.h) */
};

/*
 * Writes the tree of P, which is finished, to OUT. In text, a function and its only callee with the
 * same weight share a line. Each stack counts once: if FN matches a recursive function, the
 * outermost call is used.
 */
void tree_report(const struct profile *p, const struct tree_options *options, FILE *out);

#endif
