/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the stack copies that a process may send to user space while its unwind tables are not
 * ready, and keeps the backlog of the other samples. The BPF programs and unit tests share this
 * code.
 */
#ifndef ENGINE_BPF_KERN_BACKLOG_H
#define ENGINE_BPF_KERN_BACKLOG_H

#include "shared.h"

enum {
	COPIES_A_SECOND = 1024, /* per process; suffices for one thread at the default rate */
	BACKLOG_PART = 32,      /* a stack counts for at most 1/32 of the backlog */
	RING_MIN = 16 << 20,    /* bytes */
	RING_CPU = 1 << 19,
};

/* Returns the size in bytes of the ring buffer that all CPUs share. It is a power of two. */
static inline uint32_t backlog_ring(uint64_t nr_cpus)
{
	uint32_t bytes = RING_MIN;

	while (bytes < nr_cpus * RING_CPU && bytes < 1U << 31)
		bytes *= 2;
	return bytes;
}

/*
 * Takes one copy from the process's quota for this second. Returns false if the quota is used up.
 */
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
 * Removes the ticks from the backlog that the stack just taken counts for, and returns their
 * number. They are few, so that no single stack represents all missed ticks.
 */
static inline uint64_t backlog_take(struct delayed *d)
{
	uint64_t nr = (d->count + BACKLOG_PART - 1) / BACKLOG_PART;

	d->count -= nr;
	return nr;
}

#endif
