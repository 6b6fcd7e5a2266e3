/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree by thread and time, for formats in which each thread has a time axis of its own. */
#ifndef VIEW_EXPORT_THREAD_TIMES_H
#define VIEW_EXPORT_THREAD_TIMES_H

#include "model/profile.h"

#include <stddef.h>
#include <stdint.h>

/* The self weight of a node in a slice of time. */
struct timed_weight {
	uint32_t thread, slice; /* slices from 1 */
	uint32_t node, order;   /* the node's place in a pre-order traversal */
	uint64_t weight;
};

struct thread_times {
	const struct profile *p;
	/* A thread is the task frames at the root of its stacks. Thread 0 has none. */
	struct timed_thread {
		uint32_t process, thread; /* frames, or 0 */
	} * threads;
	size_t nr_threads, threads_alloc;
	uint32_t *thread_of; /* by node */
	bool *are_tasks;     /* by node: the node is a task frame of its thread */
	struct timed_weight *list;
	size_t nr, alloc;
};

/*
 * Lists the weights of P, which is finished and must not change until thread_times_release(), by
 * thread, slice and traversal. Without slices, and for weights whose time is not known, the slice
 * is the first one.
 */
void thread_times_init(struct thread_times *t, const struct profile *p);
void thread_times_release(struct thread_times *t);

/* Adds a weight at the end of the list. */
void thread_times_add(struct thread_times *t, const struct timed_weight *weight);

/* Sorts the list after weights were added. */
void thread_times_sort(struct thread_times *t);

/* Returns the index of the first weight after FIRST that belongs to another thread. */
size_t thread_times_end(const struct thread_times *t, size_t first);

#endif
