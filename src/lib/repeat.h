/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds of work at a fixed interval, until the time is over or a signal comes. */
#ifndef LIB_REPEAT_H
#define LIB_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/* Times are in nanoseconds. */
struct repeat {
	int64_t began_ns;  /* monotonic: when the first round was due */
	int64_t step_ns;   /* between two rounds, or 0 if there is only one */
	int64_t length_ns; /* no round begins later; 0 if there is no end */
	int64_t at_ns;     /* when the last round was due, since began_ns */
};

/* Begins the rounds. The first one is due at once. */
struct repeat repeat_begin(double step_s, double length_s);

/*
 * Waits until the next round is due. Rounds that were due before the last one ended are left out.
 * Returns false if there is no other round, or the program was stopped (program_is_stopped()).
 */
bool repeat_wait(struct repeat *r);

/*
 * Returns when the next round after one that ended at NOW_NS is due, or -1 if there is none. Times
 * are relative to began_ns.
 */
int64_t repeat_next(const struct repeat *r, int64_t now_ns);

#endif
