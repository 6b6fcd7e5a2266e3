/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a file that have the same name, where names are those that callers use: they are
 * told apart by the lines that they begin at.
 */
#ifndef ENGINE_SAME_NAMES_H
#define ENGINE_SAME_NAMES_H

#include "lib/table.h"
#include "samples.h"

struct same_names {
	const struct samples *samples;
	struct table first_lines; /* function, file -> line of the first one, + 1 bit: of several */
};

/* SAMPLES must not change as long as SAME is used. */
void same_names_init(struct same_names *same, const struct samples *samples);
void same_names_release(struct same_names *same);

/* The function of NAME as a string of REC, with ":LINE" behind it if others have that name. */
uint32_t same_names_string(
	const struct same_names *same, struct recording *rec, const struct sample_name *name);

#endif
