/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the samples of a recording that does not end bounded. What nothing refers to is dropped;
 * stacks of ended processes that are equal but for the addresses become one; and of many threads
 * that have ended, those with the fewest samples are summed: by process, if that still runs, and
 * name. If all that is still too much, the stacks with the fewest samples lose their innermost
 * frames, as many as needed, and are summed, too. No sample is lost.
 */
#ifndef ENGINE_CONDENSE_H
#define ENGINE_CONDENSE_H

#include "process/ended_maps.h"
#include "samples.h"

struct strbuf;

struct condense_limits {
	size_t tasks; /* ended ones that are kept one by one */
	size_t rows;
};

struct condense {
	struct samples *from;
	struct samples to;
	uint32_t *stacks; /* numbers in to by numbers in from; 0: not kept yet */
	uint32_t *tasks;
	struct table sums; /* PID, hash of the name -> task in to */
	struct condense_limits max;
	struct ended_maps merged;
	uint64_t *frames; /* of one stack */
	size_t frames_alloc;
};

/* Lower under a memory limit. */
struct condense_limits condense_limits(void);

/* Whether there is so much more in S than after the last time that it is worth the effort. */
bool condense_is_due(const struct samples *s);

/*
 * Condenses S to at most MAX, and merges the mappings in PS that ended before TIME_NS (monotonic).
 * Numbers of events, names and labels remain; those of stacks change.
 */
void condense_begin(struct condense *c, struct samples *s, struct processes *ps,
	struct condense_limits max, int64_t time_ns);
/* The new number of STACK (0: none), which is kept even if no row has it. */
uint32_t condense_keep(struct condense *c, uint32_t stack);
void condense_end(struct condense *c);

/* All of it at the end, if there is that much. */
void condense_last(struct samples *s, struct processes *ps);

/* Says what was summed, if anything was. */
void condense_note(const struct samples *s, struct strbuf *notes);

#endif
