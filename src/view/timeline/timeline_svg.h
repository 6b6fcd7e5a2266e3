/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VIEW_TIMELINE_TIMELINE_SVG_H
#define VIEW_TIMELINE_TIMELINE_SVG_H

#include "model/timeline.h"

#include <stdio.h>

/*
 * Writes a timeline as one SVG file, with the style of the flame graphs, and with a script that
 * shows parts of the time. Sorts the rows by their start. Returns -1 with a message in ERR if OUT
 * cannot be written.
 */
int view_timeline(struct timeline *t, FILE *out, struct strbuf *err);

#endif
