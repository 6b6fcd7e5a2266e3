/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture (SVG) of things that took time, with a row for each thing and a bar for each part of
 * it.
 */
#ifndef LIB_FORMAT_TIMELINE_H
#define LIB_FORMAT_TIMELINE_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a row. Times are in ms on the axis of the picture. */
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
	const char *name, *color; /* name is in ASCII; color is as in CSS */
	bool is_thin;             /* drawn at the foot of the row */
};

struct timeline {
	const char *title;
	const struct timeline_kind *kinds;
	size_t nr_kinds;
	struct timeline_row *rows;
	size_t nr, alloc;
};

/* Adds a row at the end. It is valid until the next row is added. */
struct timeline_row *timeline_add_row(struct timeline *t, double from, double to);

/* Adds a bar, without the parts that are outside of the row. Does nothing if it would be empty. */
void timeline_add_bar(struct timeline_row *row, size_t kind, double from, double to);

/* Sorts the rows by their start and appends the picture. */
void timeline_write(struct timeline *t, struct strbuf *out);

void timeline_release(struct timeline *t);

#endif
