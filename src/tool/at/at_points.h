/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of what is done at the places of probe points; places where the same is done share it. */
#ifndef TOOL_AT_AT_POINTS_H
#define TOOL_AT_AT_POINTS_H

#include "at.h"

#include <stddef.h>

struct strbuf;

struct at_points {
	int map;
	struct at_point *list;
	size_t nr, alloc;
	bool has_raw;
};

/* Returns the number of POINT, which is added if it is new, or -1 with ERR. */
int at_points_add(struct at_points *points, const struct at_point *point, struct strbuf *err);
/* Sets the point of raw tracepoints. Returns -1 with ERR if it is set already. */
int at_points_set_raw(struct at_points *points, const struct at_point *point, struct strbuf *err);
void at_points_release(struct at_points *points);

#endif
