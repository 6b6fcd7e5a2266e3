/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory limit of this process (RLIMIT_AS, RLIMIT_DATA, its cgroup), and what is done when it
 * is reached.
 */
#ifndef LIB_LIMITS_MEMORY_H
#define LIB_LIMITS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the lowest limit that applies, in bytes, or UINT64_MAX if there is none. It is read once.
 */
uint64_t memory_limit(void);

/* Returns the bytes that something may use: 1/PART of the limit, at most MOST. */
uint64_t memory_share(uint64_t most, unsigned part);

/*
 * Sets memory aside if there is a limit. When an allocation fails, memory_reclaim() frees it, and
 * memory_is_low() is true from then on.
 */
void memory_reserve(void);

/*
 * Called when an allocation failed. Returns true if memory was freed and the allocation is to be
 * tried again. When all of the reserve is used up, calls the function of memory_on_exhaustion()
 * with a last small part of it, and then returns false.
 */
bool memory_reclaim(void);

/*
 * Returns whether SIZE bytes can be allocated, the reserve included. If not, the reserve is freed,
 * as if an allocation had failed.
 */
bool memory_has(size_t size);

/*
 * Sets the function for this process, but not for its children; CALL may be NULL. It must not rely
 * on data that the caller of the failed allocation changes. It may exit.
 */
void memory_on_exhaustion(void (*call)(void));

/*
 * Returns true if an allocation has failed, or the cgroup has used so much of its memory, apart
 * from the page cache, that the rest is needed to finish: beyond the limit the kernel kills without
 * warning. It is cheap enough for every iteration.
 */
bool memory_is_low(void);

/*
 * For a process that runs for days: freed memory goes back to the kernel. Large allocations do at
 * once, as they are mapped apart; the C library would otherwise keep more and more of them in its
 * heap. The rest does in memory_trim(), which takes a millisecond for some MiB.
 */
void memory_keep_little(void);
void memory_trim(void);

/*
 * Makes the kernel kill this process before its parent. To be called in children, before they drop
 * privileges.
 */
void memory_die_first(void);

#endif
