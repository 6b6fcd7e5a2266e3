/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ticks of a processor's clock that do not come. */
#ifndef ENGINE_BPF_KERN_TICKS_H
#define ENGINE_BPF_KERN_TICKS_H

#include <stdint.h>

/*
 * How many ticks were due and did not come before the one of NOW: the clock was throttled,
 * interrupts were off, another BPF program ran, or the machine stood still. The task that this tick
 * hits kept them away, or would have been hit. *DUE_AT: when the last one was due, 0 at first;
 * PERIOD: between two, all in ns. -1: the last one was so late that it was taken for this one.
 */
static inline int64_t ticks_missed(uint64_t *due_at, uint64_t now, uint64_t period)
{
	if (!*due_at || !period) {
		*due_at = now;
		return 0;
	}
	uint64_t nr = (now - *due_at + period / 2) / period;

	*due_at += nr * period;
	return (int64_t)nr - 1;
}

#endif
