/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of io_uring, by system calls alone. */
#ifndef TESTS_PROGRAMS_RING_H
#define TESTS_PROGRAMS_RING_H

#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
	int fd;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *results;
	unsigned *index, *tail, *done;
	unsigned size, results_size;
};

static inline void *ring_map(int fd, size_t size, off_t what)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);

	if (at == MAP_FAILED)
		exit(2);
	return at;
}

/* Returns false if the kernel has no io_uring. */
static inline bool ring_open(struct ring *r)
{
	struct io_uring_params p = {0};
	char *queue;

	r->fd = (int)syscall(__NR_io_uring_setup, 8, &p);
	if (r->fd < 0)
		return false;
	r->size = p.sq_entries;
	r->results_size = p.cq_entries;
	r->entries = ring_map(r->fd, p.sq_entries * sizeof(*r->entries), IORING_OFF_SQES);
	queue = ring_map(
		r->fd, p.sq_off.array + p.sq_entries * sizeof(*r->index), IORING_OFF_SQ_RING);
	r->tail = (unsigned *)(queue + p.sq_off.tail);
	r->index = (unsigned *)(queue + p.sq_off.array);
	queue = ring_map(
		r->fd, p.cq_off.cqes + p.cq_entries * sizeof(*r->results), IORING_OFF_CQ_RING);
	r->results = (struct io_uring_cqe *)(queue + p.cq_off.cqes);
	r->done = (unsigned *)(queue + p.cq_off.head);
	return true;
}

/* Submits ENTRY and waits for it. Returns its result. */
static inline int ring_do(struct ring *r, const struct io_uring_sqe *entry)
{
	unsigned at = *r->tail & (r->size - 1);
	int result;

	r->entries[at] = *entry;
	r->index[at] = at;
	__atomic_store_n(r->tail, *r->tail + 1, __ATOMIC_RELEASE);
	syscall(__NR_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	result = r->results[*r->done & (r->results_size - 1)].res;
	__atomic_store_n(r->done, *r->done + 1, __ATOMIC_RELEASE);
	return result;
}

#endif
