/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring [wait] FOLDER N: reads and writes with io_uring, after SIGUSR1 with wait. put() writes 100
 * bytes to FOLDER/ring N times, take() reads them in threads of the kernel, ring_fail() looks for a
 * missing file N times, and all() opens FOLDER/ring and writes it to the disk once. Prints "none"
 * if the kernel has no io_uring.
 */
#define _GNU_SOURCE
#include "await_signal.h"
#include "ring.h"

#include <fcntl.h>
#include <string.h>

#define CALL __attribute__((noinline)) static

static struct ring ring;
static char bytes[100];
static int file, number;
static volatile long sum;

/* Not to be a tail call, which would leave the caller out of the stack. */
#define RING(...) (sum += ring_do(&ring, &(struct io_uring_sqe){__VA_ARGS__}))

CALL void put(int i)
{
	RING(.opcode = IORING_OP_WRITE, .fd = file, .addr = (unsigned long)bytes, .len = 100,
		.off = 100UL * (unsigned)i);
}

CALL void take(int i)
{
	RING(.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = file,
		.addr = (unsigned long)bytes, .len = 100, .off = 100UL * (unsigned)i);
}

CALL void ring_fail(void)
{
	RING(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (unsigned long)"nowhere");
}

CALL void all(void)
{
	RING(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (unsigned long)"ring");
	RING(.opcode = IORING_OP_FSYNC, .fd = file);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");

	argv += wait;
	if (argc - wait != 3 || chdir(argv[1]))
		return 64;
	number = atoi(argv[2]);
	file = open("ring", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file < 0)
		return 2;
	if (wait)
		await_signal();
	if (!ring_open(&ring)) {
		puts("none");
		return 0;
	}
	for (int i = 0; i < number; i++)
		put(i);
	for (int i = 0; i < number; i++)
		take(i);
	for (int i = 0; i < number; i++)
		ring_fail();
	all();
	return 0;
}
