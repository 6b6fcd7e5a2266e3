/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits of threads, as shared by the BPF programs and user space. */
#ifndef TOOL_OFF_CPU_OFF_CPU_H
#define TOOL_OFF_CPU_OFF_CPU_H

#include "engine/bpf/kern/shared.h"

enum { WAITS_MAX = 1 << 16 }; /* threads that wait at a time */

/*
 * The states of waits, as in ps(1): sleeping (S), in disk sleep (D), stopped (T), traced (t),
 * preempted (R), woken but not yet running (W), idle (I), parked (P).
 */
#define WAIT_LETTERS "SDTtRWIP"
enum { WAIT_S, WAIT_D, WAIT_T, WAIT_TRACED, WAIT_R, WAIT_W, WAIT_I, WAIT_P, WAIT_NONE };

_Static_assert((int)WAIT_NONE < (int)TOOL_STATES_MAX, "each state has a number in rows");

/* Indexes of the options in the script's header. The states are bits; the limits are in us. */
enum { WAIT_OPTION_STATE, WAIT_OPTION_MIN, WAIT_OPTION_MAX, WAIT_OPTION_CHAIN };

/* The words of a span that represents a thread's wait. */
enum {
	WAIT_WOKEN, /* CLOCK_MONOTONIC, ns, or 0 if it has not been woken yet */
	WAIT_CPU,   /* the thread's CPU time when the wait began, ns */
	WAIT_STATE, /* WAIT_S, … */
};

/* Returns whether a part of a wait in this state that took NS is recorded. */
static inline bool wait_counts(const volatile struct settings *s, uint64_t state, uint64_t ns)
{
	return state < WAIT_NONE && s->option[WAIT_OPTION_STATE] >> state & 1 &&
	       within_bounds(s, WAIT_OPTION_MIN, WAIT_OPTION_MAX, ns);
}

#endif
