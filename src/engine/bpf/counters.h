/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF programs count, each processor and lane by itself. */
#ifndef ENGINE_BPF_COUNTERS_H
#define ENGINE_BPF_COUNTERS_H

#include "kern/shared.h"

#include <stddef.h>

/* The sums of LIST, which the programs go on writing. */
struct counters counters_sum(const struct counters *list, size_t nr);

/*
 * How many of the ticks that did not come in GAP_NS, one every PERIOD_NS, would have hit the
 * target: the same share as of those in C. PERIOD_NS 0: none.
 */
uint64_t counters_missed(const struct counters *c, uint64_t gap_ns, uint64_t period_ns);

#endif
