/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the rows of a recording by what their frames are counted as: functions, source lines,
 * instructions. A counter gets the weight of a row once, however many of its frames count for it.
 */
#ifndef VIEW_ANNOTATE_WEIGHING_H
#define VIEW_ANNOTATE_WEIGHING_H

#include "model/recording.h"

struct weighing {
	struct counter {
		uint64_t self;        /* of rows whose leaf counts for it */
		uint64_t total;       /* of rows with a frame that does */
		size_t self_row, row; /* what was added last */
	} * list;
	uint32_t nr;
	size_t alloc;
	uint32_t *first; /* of each frame: its first link, 0: none */
	struct counter_link {
		uint32_t counter, next;
	} * links; /* from 1 on */
	uint32_t nr_links;
	size_t links_alloc;
	uint64_t weight; /* of all rows */
	uint64_t left;   /* frames that may still be looked at */
};

void weighing_init(struct weighing *t, const struct recording *rec);
void weighing_release(struct weighing *t);

/* The number of a new counter. */
uint32_t weighing_add(struct weighing *t);
/* FRAME counts for COUNTER. */
void weighing_link(struct weighing *t, uint32_t frame, uint32_t counter);

/* Adds the rows that VIEW shows; to be called once. False: too many frames, not all are added. */
bool weighing_sum(
	struct weighing *t, const struct recording *rec, const struct recording_view *view);

#endif
