/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the call tree of a picture in the form that input/picture.h describes. */
#ifndef VIEW_FLAME_FLAME_DATA_H
#define VIEW_FLAME_FLAME_DATA_H

#include "model/profile.h"

#include <stdbool.h>
#include <stdio.h>

struct categories;
struct diff;

enum { FLAME_SHADES = 6 };

/*
 * Classes of flame.css. A frame's is two characters: its kind, and a shade by its name. That of a
 * step of a difference (diff.h) is "d0" to "d8".
 */
struct flame_class {
	char s[3];
};
struct flame_class flame_class(const struct profile *p, uint32_t frame);
struct flame_class flame_step_class(int step);

struct flame_data {
	const struct profile *p;
	const struct diff *diff;             /* P is its tree; NULL: there is none */
	const struct categories *categories; /* of P */
	const char *shown;                   /* the unit of shown weights, NULL: P's */
	double factor;                       /* they are multiplied by it */
	bool inverted;
};

/* SCALE, as a power of 2. */
unsigned flame_scale_shift(const struct flame_data *data);

void flame_data_write(const struct flame_data *data, FILE *out);

#endif
