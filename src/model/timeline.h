/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Things that took time, each a row with a bar for each of its parts. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a row. Times are in ms on the axis of the picture. */
struct timeline_bar {
	double from, to;
	size_t kind; /* index in kinds */
};

struct timeline_row {
	struct strbuf name;   /* left of the bars */
	struct strbuf detail; /* lines that are shown when asked for, with NUL between them */
	double from, to;
	struct timeline_bar *bars; /* later ones are drawn over earlier ones */
	size_t nr, alloc;
};

struct timeline_kind {
	const char *name; /* in ASCII */
	unsigned shade;   /* of the ten of categories, of which 9 is grey */
	bool is_thin;     /* drawn at the foot of the row */
};

struct timeline {
	const char *title, *things; /* things is what the rows are, such as "requests" */
	const struct timeline_kind *kinds;
	size_t nr_kinds;
	struct timeline_row *rows;
	size_t nr, alloc;
};

/* Adds a row at the end. It is valid until the next row is added. */
struct timeline_row *timeline_add_row(struct timeline *t, double from, double to);

/* Adds a bar, without the parts that are outside of the row. Does nothing if it would be empty. */
void timeline_add_bar(struct timeline_row *row, size_t kind, double from, double to);

/* Begins a line of the detail of ROW with WORDS and a blank. */
void timeline_add_line(struct timeline_row *row, const char *words);

/* Sorts the rows by their start. */
void timeline_sort(struct timeline *t);

void timeline_release(struct timeline *t);

#endif
