/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uring: lets threads of io_uring read zeros, and waits. Exit: 3 if the kernel has no io_uring. */
#include "case.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <fcntl.h>

enum { ENTRIES = 8, SIZE = 8 << 20 };

static void *map_ring(int ring, size_t size, off_t what)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, what);

	if (at == MAP_FAILED)
		exit(2);
	return at;
}

int main(int argc, char **argv)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(__NR_io_uring_setup, ENTRIES, &p),
	    zero = open("/dev/zero", O_RDONLY);
	void *buffer = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct io_uring_sqe *entries;
	unsigned *index, *tail, *done;

	if (ring < 0)
		return 3;
	burn_init(argc, argv);
	entries = map_ring(ring, p.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	index = map_ring(ring, p.sq_off.array + p.sq_entries * sizeof(*index), IORING_OFF_SQ_RING);
	tail = index + p.sq_off.tail / sizeof(*tail);
	index += p.sq_off.array / sizeof(*index);
	done = map_ring(ring, p.cq_off.cqes, IORING_OFF_CQ_RING);
	done += p.cq_off.head / sizeof(*done);
	case_ready();
	while (!burn_over) {
		unsigned at = *tail & (p.sq_entries - 1);

		entries[at] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
			.flags = IOSQE_ASYNC,
			.fd = zero,
			.addr = (unsigned long)buffer,
			.len = SIZE};
		index[at] = at;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
		__atomic_store_n(done, *done + 1, __ATOMIC_RELEASE);
	}
	return 0;
}
