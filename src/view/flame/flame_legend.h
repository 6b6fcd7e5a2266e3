/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The legend of a flame graph, for the static picture. */
#ifndef VIEW_FLAME_FLAME_LEGEND_H
#define VIEW_FLAME_FLAME_LEGEND_H

#include "model/profile.h"

struct diff;
struct strbuf;

/*
 * Appends <g id="legend">. It shows the kinds of frames in P, each with its share of all self
 * weight or, if P is the tree of DIFF, the steps of change. Starts at X and TOP and breaks lines at
 * WIDTH, all in px. Returns its height.
 */
unsigned flame_legend_add(struct strbuf *out, const struct profile *p, const struct diff *diff,
	unsigned x, unsigned top, unsigned width);

#endif
