/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that come before their unwind tables: how many copies of stacks a process may send up,
 * and what becomes of the others. The same code in the kernel (BPF) and in its tests.
 */
#ifndef ENGINE_BPF_KERN_BACKLOG_H
#define ENGINE_BPF_KERN_BACKLOG_H

#include "shared.h"

enum {
	COPIES_A_SECOND = 1024, /* of a process: all ticks of one thread at the default rate */
	BACKLOG_PART = 32,      /* a stack counts for at most this part of the backlog */
	RING_MIN = 16 << 20,    /* bytes */
	RING_CPU = 1 << 19,
};

/* Bytes of the ring for this many processors: it is of their common use, and a power of two. */
static inline uint32_t backlog_ring(uint64_t nr_cpus)
{
	uint32_t bytes = RING_MIN;

	while (bytes < nr_cpus * RING_CPU && bytes < 1U << 31)
		bytes *= 2;
	return bytes;
}

/* Takes one from the copies that a process has left in this second; false: there are none. */
static inline bool copy_quota_take(struct copy_quota *c, uint64_t now_ns)
{
	uint64_t second = now_ns / 1000000000;

	if (c->second != second) {
		c->second = second;
		c->nr = 0;
	}
	if (c->nr >= COPIES_A_SECOND)
		return false;
	__atomic_fetch_add(&c->nr, 1, __ATOMIC_RELAXED); /* see add_row() */
	return true;
}

/*
 * How many ticks of the backlog, which is left with the rest, the stack that was just taken counts
 * for: a few, so that no single stack stands for all that was missed.
 */
static inline uint64_t backlog_take(struct delayed *d)
{
	uint64_t nr = (d->count + BACKLOG_PART - 1) / BACKLOG_PART;

	d->count -= nr;
	return nr;
}

#endif
