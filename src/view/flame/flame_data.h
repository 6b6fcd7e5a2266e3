/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the call tree into the SVG file, in the format described in input/picture.h. */
#ifndef VIEW_FLAME_FLAME_DATA_H
#define VIEW_FLAME_FLAME_DATA_H

#include "model/profile.h"

#include <stdbool.h>
#include <stdio.h>

struct categories;
struct diff;

enum { FLAME_SHADES = 6, FLAME_PALE = 6 }; /* FLAME_PALE is for unnamed native code */

/*
 * Classes in flame.css. The class of a frame has two characters: its kind, and a shade by its name.
 * The class of a step of change (diff.h) is "d0" to "d8". The class of a state of waits, whose note
 * is given, is "st0" to "st8", or "st9" for states of other programs.
 */
struct flame_class {
	char s[4];
};
struct flame_class flame_class(const struct profile *p, uint32_t frame);
struct flame_class flame_state_class(const char *note, size_t len);
struct flame_class flame_step_class(int step);

struct flame_data {
	const struct profile *p;
	const struct diff *diff;             /* NULL if there is none; otherwise p is its tree */
	const struct categories *categories; /* categories of p */
	const char *shown;                   /* unit of the shown weights, or NULL for p's unit */
	double factor;                       /* factor of the shown weights */
	bool inverted;
};

/* Returns the binary logarithm of the scale. */
unsigned flame_scale_shift(const struct flame_data *data);

void flame_data_write(const struct flame_data *data, FILE *out);

#endif
