/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells functions of a file with the same name apart by the lines at which they begin. Names are
 * the same because they are the ones that callers use.
 */
#ifndef ENGINE_SAME_NAMES_H
#define ENGINE_SAME_NAMES_H

#include "lib/table.h"
#include "samples.h"

struct same_names {
	const struct samples *samples;
	struct table first_lines; /* function, file -> 2 * line of the first, + 1 if several */
};

/* SAMPLES must not change while SAME is used. */
void same_names_init(struct same_names *same, const struct samples *samples);
void same_names_release(struct same_names *same);

/*
 * Returns the function of NAME as a string of REC, followed by ":LINE" if other functions have that
 * name.
 */
uint32_t same_names_string(
	const struct same_names *same, struct recording *rec, const struct sample_name *name);

#endif
