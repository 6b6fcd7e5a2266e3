/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory limit of this process (RLIMIT_AS, RLIMIT_DATA, its cgroup), and what is done when it
 * is reached.
 */
#ifndef LIB_LIMITS_MEMORY_H
#define LIB_LIMITS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The lowest limit that applies, in bytes; UINT64_MAX: none. Read once. */
uint64_t memory_limit(void);

/* The bytes that something may use: 1/PART of the limit, at most MOST. */
uint64_t memory_share(uint64_t most, unsigned part);

/*
 * Sets memory aside, if there is a limit: when an allocation fails, memory_reclaim() frees it, and
 * memory_is_low() is true from then on.
 */
void memory_reserve(void);

/*
 * Called when an allocation failed. True: memory was freed, try again. When all is used up, calls
 * the function of memory_on_exhaustion() with a last small part of it, then returns false.
 */
bool memory_reclaim(void);

/*
 * Sets the function of this process, not of its children; NULL: none. CALL must not rely on what
 * the caller of the failed allocation changes; it may exit.
 */
void memory_on_exhaustion(void (*call)(void));

/*
 * True if an allocation has failed, or the cgroup has used so much of its memory, apart from the
 * page cache, that the rest is needed to finish: beyond the limit the kernel kills without warning.
 * Cheap enough for every round.
 */
bool memory_is_low(void);

/* For children, before they drop privileges: the kernel kills them before their parent. */
void memory_die_first(void);

#endif
