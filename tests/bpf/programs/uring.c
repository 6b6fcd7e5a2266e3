/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uring: lets threads of io_uring read zeros, and waits. Exit: 3 if the kernel has no io_uring. */
#include "case.h"
#include "../../programs/ring.h"

#include <fcntl.h>

enum { SIZE = 8 << 20 };

int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY);
	void *buffer = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct io_uring_sqe entry = {.opcode = IORING_OP_READ,
		.flags = IOSQE_ASYNC,
		.fd = zero,
		.addr = (unsigned long)buffer,
		.len = SIZE};
	struct ring ring;

	if (!ring_open(&ring))
		return 3;
	burn_init(argc, argv);
	case_ready();
	while (!burn_over)
		ring_do(&ring, &entry);
	return 0;
}
