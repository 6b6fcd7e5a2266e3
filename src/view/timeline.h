/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture (SVG) of things that took time: a row for each, a bar for each part of it. */
#ifndef VIEW_TIMELINE_H
#define VIEW_TIMELINE_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a row; times in ms on the axis of the picture. */
struct timeline_bar {
	double from, to;
	size_t kind; /* index in kinds */
};

struct timeline_row {
	struct strbuf name, detail; /* left of the bars; shown when pointed at */
	double from, to;
	struct timeline_bar *bars; /* later ones are drawn over earlier ones */
	size_t nr, alloc;
};

struct timeline_kind {
	const char *name, *color; /* ASCII; as in CSS */
	bool is_thin;             /* drawn at the foot of the row, below bars that are not */
};

struct timeline {
	const char *title;
	const struct timeline_kind *kinds;
	size_t nr_kinds;
	struct timeline_row *rows;
	size_t nr, alloc;
};

/* A new last row. It is valid until the next one is added. */
struct timeline_row *timeline_add_row(struct timeline *t, double from, double to);

/* Does nothing if the bar would be empty; what is outside of the row is cut off. */
void timeline_add_bar(struct timeline_row *row, size_t kind, double from, double to);

/* Sorts the rows by when they began and appends the picture. */
void timeline_write(struct timeline *t, struct strbuf *out);

void timeline_release(struct timeline *t);

#endif
