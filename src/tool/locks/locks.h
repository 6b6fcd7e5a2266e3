/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks, as shared by the BPF programs and user space. */
#ifndef TOOL_LOCKS_LOCKS_H
#define TOOL_LOCKS_LOCKS_H

#include "engine/bpf/kern/shared.h"

enum { LOCK_WAITS_MAX = 1 << 16 }; /* waits that go on at a time */

/* Indexes of the options in the script's header; the limits are in us. */
enum { LOCKS_OPTION_MIN, LOCKS_OPTION_MAX, LOCKS_OPTION_RELEASER };

/* The bits of the option for the releaser. */
enum { RELEASER_NAME = 1, RELEASER_STACK = 2 };

/*
 * What is waited for. Programs wait for futexes, most of which do not tell what they are used for;
 * from LOCK_SPIN on, the locks are the kernel's.
 */
enum lock_kind {
	LOCK_FUTEX,
	LOCK_PI,        /* a mutex that passes on priorities */
	LOCK_CONDITION, /* a condition variable whose mutex passes on priorities */
	LOCK_JOIN,      /* the end of a thread */
	LOCK_SPIN,
	LOCK_RWLOCK,
	LOCK_MUTEX,
	LOCK_RWSEM,
	LOCK_PERCPU_RWSEM,
	LOCK_RT,
	LOCK_SEMAPHORE,
	LOCK_KINDS,
};

/* The labels of waits. Equal ones have one number. */
struct lock_labels {
	uint64_t address;
	uint32_t tgid; /* whose memory has the lock, or 0 if it is the kernel's */
	uint16_t kind; /* enum lock_kind */
	uint16_t error;
	/* the thread that has released the lock, or that LOCK_JOIN waits for, or 0 */
	uint32_t tid_by;
	/*
	 * The thread that had the lock when the wait began, as the lock has it: a number in the PID
	 * namespace of its process, or of a lock of the kernel in ours; or 0.
	 */
	uint32_t owner;
	char comm_by[COMM_LEN];
};

enum { LOCK_LABELS_BITS = 14, LOCK_LABELS_MAX = 1 << LOCK_LABELS_BITS };

/*
 * The threads that have not ended at the end of the recording, by the futex that the kernel
 * releases at their end, for which threads that join them wait.
 */
struct lock_thread_key {
	uint64_t address;
	uint32_t tgid, pad;
};

struct lock_thread {
	uint32_t tid;
	char comm[COMM_LEN];
};

enum { LOCK_THREADS_MAX = 1 << 12 };

/* The words of a span that is a wait. */
enum {
	LOCK_ADDRESS,
	LOCK_KIND,   /* and LOCK_EARLIER, and from bit LOCK_OWNER on the owner */
	LOCK_NUMBER, /* number of its struct lock_labels, or 0 if the lock was not released yet */
};

enum { LOCK_EARLIER = 1 << 16 }; /* the wait has begun before the recording */
enum { LOCK_OWNER = 32 };

enum lock_part { LOCK_PART_USER, LOCK_PART_KERNEL }; /* tell a thread's waits apart */

/* Returns whether a wait that took NS is recorded. */
static inline bool lock_wait_counts(const volatile struct settings *s, uint64_t ns)
{
	return within_bounds(s, LOCKS_OPTION_MIN, LOCKS_OPTION_MAX, ns);
}

#endif
