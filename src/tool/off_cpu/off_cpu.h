/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits of threads, as shared by the BPF programs and user space. */
#ifndef TOOL_OFF_CPU_OFF_CPU_H
#define TOOL_OFF_CPU_OFF_CPU_H

#include "engine/bpf/kern/shared.h"
#include "lib/log_scale.h"

enum { WAITS_MAX = 1 << 16 }; /* threads that wait at a time */

/*
 * The states of waits, as in ps(1): sleeping (S), in disk sleep (D), stopped (T), traced (t),
 * preempted (R), woken but not yet running (W), idle (I), parked (P); and on a processor (C).
 */
#define WAIT_LETTERS "SDTtRWIPC"
enum { WAIT_S, WAIT_D, WAIT_T, WAIT_TRACED, WAIT_R, WAIT_W, WAIT_I, WAIT_P, WAIT_ON, WAIT_NONE };

/* In rows, the state of a thread that a tick has hit. */
enum { WAIT_TICK = WAIT_NONE };

_Static_assert((int)WAIT_TICK + 1 < (int)TOOL_STATES_MAX, "each state has a number in rows");

/* Indexes of the options in the script's header. The states are bits; the limits are in us. */
enum { WAIT_OPTION_STATE, WAIT_OPTION_MIN, WAIT_OPTION_MAX, WAIT_OPTION_CHAIN };

/* The words of a span that represents a thread's wait. */
enum {
	WAIT_WOKEN, /* CLOCK_MONOTONIC, ns, or 0 if it has not been woken yet */
	WAIT_CPU,   /* the thread's CPU time when the wait began, ns */
	WAIT_STATE, /* WAIT_S, …, and what else is known of the wait */
};

/* Bits of the word WAIT_STATE: the wait began before the recording; number of the preemptor. */
enum { WAIT_STATE_BITS = 8, WAIT_EARLIER = 1 << WAIT_STATE_BITS, WAIT_BY_SHIFT = 16 };

static inline uint32_t wait_state(const struct span *wait)
{
	return wait->word[WAIT_STATE] & ((1 << WAIT_STATE_BITS) - 1);
}

/*
 * The state of a row as TOOL_VALUE(): bits for the state, whether the thread never ran, and the
 * number of the preemptor, which is a key of the map of their names, or 0 if there is none.
 */
enum { WAIT_NEVER_RAN = 1 << 4, WAIT_PREEMPTOR_SHIFT = 5, PREEMPTORS_MAX = 1023 };

/* The name of a thread that preempted another one. */
struct preemptor {
	union {
		char comm[COMM_LEN];
		uint64_t word[COMM_LEN / 8];
	};
};

/* Returns the state of the row of a part of WAIT in STATE, in which the thread may never have run.
 */
static inline uint32_t wait_row_state(const struct span *wait, uint32_t state, bool never_ran)
{
	uint32_t by = state == WAIT_R ? (uint32_t)(wait->word[WAIT_STATE] >> WAIT_BY_SHIFT) : 0;
	uint32_t value = by << WAIT_PREEMPTOR_SHIFT | (never_ran ? WAIT_NEVER_RAN : 0);

	return value ? TOOL_VALUE(value | state) : TOOL_STATE(state);
}

/* Returns the range of a part of a wait that took NS, by its time in us. */
static inline uint32_t wait_range(const volatile struct settings *s, uint64_t ns)
{
	return s->ranges ? 1 + log_scale_bucket(ns / 1000) : 0;
}

/* Returns whether all states are recorded, including the time on a processor. */
static inline bool wait_counts_all(const volatile struct settings *s)
{
	return !s->option[WAIT_OPTION_STATE];
}

/* Returns whether a part of a wait in this state that took NS is recorded. */
static inline bool wait_counts(const volatile struct settings *s, uint64_t state, uint64_t ns)
{
	if (wait_counts_all(s))
		return true;
	return state < WAIT_NONE && s->option[WAIT_OPTION_STATE] >> state & 1 &&
	       within_bounds(s, WAIT_OPTION_MIN, WAIT_OPTION_MAX, ns);
}

#endif
