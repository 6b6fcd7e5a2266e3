/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the rows of a recording by counters. Counters stand for functions, source lines or
 * instructions, and each frame counts for some of them. A counter gets the weight of a row once,
 * however many frames of the row count for it.
 */
#ifndef VIEW_ANNOTATE_WEIGHING_H
#define VIEW_ANNOTATE_WEIGHING_H

#include "model/recording.h"

struct weighing {
	struct counter {
		uint64_t self;        /* weight of rows whose leaf counts for it */
		uint64_t total;       /* weight of rows with a frame that counts for it */
		size_t self_row, row; /* numbers of the rows that were added last */
	} * list;
	uint32_t nr;
	size_t alloc;
	uint32_t *first; /* first link of each frame, or 0 */
	struct counter_link {
		uint32_t counter, next;
	} * links; /* element 0 is not used */
	uint32_t nr_links;
	size_t links_alloc;
	uint64_t weight; /* weight of all rows */
	uint64_t left;   /* number of frames that may still be looked at */
};

void weighing_init(struct weighing *t, const struct recording *rec);
void weighing_release(struct weighing *t);

/* Adds a counter and returns its number. */
uint32_t weighing_add(struct weighing *t);
/* Makes FRAME count for COUNTER. */
void weighing_link(struct weighing *t, uint32_t frame, uint32_t counter);

/*
 * Adds the rows that VIEW shows. May be called only once. Returns false if there are too many
 * frames, so that not all rows are added.
 */
bool weighing_sum(
	struct weighing *t, const struct recording *rec, const struct recording_view *view);

#endif
