/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time axis of a recording, which has slices if its rows were also counted by time. */
#ifndef MODEL_RECORDING_TIME_H
#define MODEL_RECORDING_TIME_H

#include "time_range.h"

struct recording;
struct strbuf;

/* The label of the slice to which a row belongs: its begin in seconds after the recording's. */
#define RECORDING_SLICE "slice"

/*
 * Reduces REC to the slices that are nearest to RANGE, at least one; an open range selects all of
 * it. Rows without slices are left out. NOTES tell what was selected. Returns -1 with a message if
 * there is no such time.
 */
int recording_select_time(
	struct recording *rec, const struct time_range *range, struct strbuf *notes);

/*
 * Replaces each row by rows of single slices, which have the label RECORDING_SLICE. Returns -1 with
 * a message if REC has no slices, or too many.
 */
int recording_split_slices(struct recording *rec, struct strbuf *err);

#endif
