/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds of work at a fixed interval, until the time is over or a signal comes. */
#ifndef LIB_REPEAT_H
#define LIB_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/* Times in ns. */
struct repeat {
	int64_t began_ns;  /* monotonic: when the first round was due */
	int64_t step_ns;   /* between two rounds; 0: there is only one */
	int64_t length_ns; /* none begins later; 0: no end */
	int64_t at_ns;     /* when the last round was due, since began_ns */
};

/* The first round is due now. */
struct repeat repeat_begin(double step_s, double length_s);

/*
 * Waits until the next round is due. Rounds that were due before the last one ended are left out.
 * False: there is no other, or program_is_stopped().
 */
bool repeat_wait(struct repeat *r);

/* When the next round after one that ended at NOW_NS, since began_ns, is due; -1: none is. */
int64_t repeat_next(const struct repeat *r, int64_t now_ns);

#endif
