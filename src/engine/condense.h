/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds the samples of a recording that does not end. Unreferenced entries are dropped; stacks of
 * ended processes that are equal but for the addresses become one; and if many threads have ended,
 * the ones with the fewest samples are summed by name and, if it still runs, by process. If all
 * that is still too much, the stacks with the fewest samples lose as many of their innermost frames
 * as needed, and are summed, too. No sample is lost.
 *
 * The samples are copied, a number of rows at a time; new samples can be added meanwhile.
 */
#ifndef ENGINE_CONDENSE_H
#define ENGINE_CONDENSE_H

#include "process/ended_maps.h"
#include "samples.h"

struct strbuf;

struct condense_limits {
	size_t tasks; /* ended tasks that are kept one by one */
	size_t rows;
};

struct condense {
	struct samples from;
	struct samples *to; /* or NULL if nothing is being condensed */
	size_t next;        /* row of `from` to be copied */
	uint32_t *stacks;   /* numbers in `to` by numbers in `from`, or 0 if not kept yet */
	uint32_t *tasks;
	struct table sums; /* PID, hash of the name -> task in `to` */
	struct condense_limits max;
	struct ended_maps merged;
	uint32_t depth;   /* of rare stacks, or 0 if no stack is shortened */
	uint64_t rare;    /* the largest sum of a rare row */
	uint64_t *frames; /* of one stack */
	size_t frames_alloc;
};

/* Returns the limits, which are lower under a memory limit. */
struct condense_limits condense_limits(void);

/* Returns whether S has grown so much since the last time that it is worth the effort. */
bool condense_is_due(const struct samples *s);

/*
 * Returns whether there is memory for a copy of S and for the samples that come meanwhile. If not,
 * memory_is_low() is true from then on.
 */
bool condense_has_room(const struct samples *s);

/*
 * Begins to condense S, of which only events, names and labels remain, with their numbers, until
 * condense_step() has copied its rows. New samples can be added to S at any time. Merges the
 * mappings in PS that ended before TIME_NS (monotonic); no mapping may be freed before
 * condense_end(). The numbers of stacks change: each number that is kept elsewhere must be replaced
 * by condense_keep() before a sample is added. If S has still more than MAX rows at the end, it is
 * due again at once, and the rare stacks get shorter than the last time.
 */
void condense_begin(struct condense *c, struct samples *s, struct processes *ps,
	struct condense_limits max, int64_t time_ns);
/* Returns the new number of STACK, which may be 0. The stack is kept even if no row has it. */
uint32_t condense_keep(struct condense *c, uint32_t stack);
/* Copies the next NR rows. Returns whether there are more. */
bool condense_step(struct condense *c, size_t nr);
/* Copies all other rows and releases C. */
void condense_end(struct condense *c);
/* Releases C, whose rows are lost unless they have been copied. C may be zero. */
void condense_release(struct condense *c);

/* Condenses S at the end of the recording, if it exceeds the limits and there is room. */
void condense_last(struct samples *s, struct processes *ps);

/* Adds to NOTES what was summed, if anything was. */
void condense_note(const struct samples *s, struct strbuf *notes);

#endif
