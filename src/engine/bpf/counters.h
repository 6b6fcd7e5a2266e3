/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of the BPF programs, for each processor and lane. */
#ifndef ENGINE_BPF_COUNTERS_H
#define ENGINE_BPF_COUNTERS_H

#include "kern/shared.h"

#include <stddef.h>

/* Returns the sums of LIST, while the programs go on writing to it. */
struct counters counters_sum(const struct counters *list, size_t nr);

/*
 * Returns how many of the ticks that did not come in GAP_NS, one every PERIOD_NS, would have hit
 * the target, assuming the same share as among the ticks in C. Returns 0 if PERIOD_NS is 0.
 */
uint64_t counters_missed(const struct counters *c, uint64_t gap_ns, uint64_t period_ns);

#endif
