/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the header of a tool adds to the rows of a recording that is sealed: frames at the leaf from
 * their labels, and further events that count them.
 */
#ifndef ENGINE_TOOL_ROWS_H
#define ENGINE_TOOL_ROWS_H

#include "lib/table.h"

#include <stdint.h>

struct engine_request;
struct frame_table;
struct sample_row;
struct samples;

struct tool_rows {
	const struct samples *samples;
	const struct engine_request *request; /* or NULL if nothing is added */
	struct frame_table *frames;           /* of the recording */
	struct table leaves;                  /* values of up to two labels -> stack */
};

void tool_rows_init(struct tool_rows *t, const struct samples *samples,
	const struct engine_request *request, struct frame_table *frames);
void tool_rows_release(struct tool_rows *t);

/* Adds the further events to the recording, after the events of the samples. */
void tool_rows_add_events(const struct tool_rows *t);

/* Adds to TO, for each further event that counts ROW, a row with its number of events. */
void tool_rows_count(const struct tool_rows *t, const struct sample_row *row, struct samples *to);

/*
 * Returns the kernel stack in the recording that LABELS, a set of the samples, stand for, or
 * NO_STACK if there is none, or if kernel stacks are not recorded.
 */
uint32_t tool_rows_leaf(struct tool_rows *t, uint32_t labels);

#endif
