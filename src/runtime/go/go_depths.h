/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pcsp table of a Go function: how far rsp is below the return address. */
#ifndef RUNTIME_GO_GO_DEPTHS_H
#define RUNTIME_GO_GO_DEPTHS_H

#include "lib/bytes.h"

/* A run of code, from START to END, in which rsp is DEPTH bytes below the return address. */
struct go_depths {
	struct bytes runs; /* pairs of a change of the depth (zigzag) and bytes of code */
	uint64_t start, end;
	int64_t depth;
};

static inline struct go_depths go_depths_of(struct bytes table, uint64_t function)
{
	return (struct go_depths){.runs = table, .start = function, .end = function, .depth = -1};
}

/*
 * Moves on to the next run. FIRST is set for the run at the function's start. Returns false at the
 * end.
 */
static inline bool go_depths_next(struct go_depths *d, bool first)
{
	uint64_t change = bytes_uleb(&d->runs), size = bytes_uleb(&d->runs);

	if (d->runs.bad || (!change && !first) || !size || change > UINT32_MAX)
		return false;
	d->start = d->end;
	d->end = size < UINT64_MAX - d->start ? d->start + size : UINT64_MAX;
	d->depth += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
	return d->depth == (int32_t)d->depth;
}

/* Returns the depth at PC in the function at START, or -1 if it is not known. */
static inline int64_t go_depth_at(struct bytes table, uint64_t start, uint64_t pc)
{
	struct go_depths d = go_depths_of(table, start);

	for (bool first = true; go_depths_next(&d, first); first = false)
		if (pc >= d.start && pc < d.end)
			return d.depth;
	return -1;
}

#endif
