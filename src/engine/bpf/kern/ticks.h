/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the ticks of a processor's clock that do not come. */
#ifndef ENGINE_BPF_KERN_TICKS_H
#define ENGINE_BPF_KERN_TICKS_H

#include <stdint.h>

/*
 * Returns how many ticks were due and did not come before the tick at NOW, because the clock was
 * throttled, interrupts were off, another BPF program ran, or the machine stood still. The task
 * that this tick hits kept the missed ticks away, or would have been hit by them. *DUE_AT is when
 * the last tick was due (0 at first) and PERIOD the time between two ticks, all in ns. Returns -1
 * if the last tick was so late that it was taken for this one.
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
