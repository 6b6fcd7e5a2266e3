/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old_calls [wait] FOLDER N: makes system calls in ways that programs seldom make them, after
 * SIGUSR1 with wait. old_write() writes 10 bytes to FOLDER/old N times, old_read() reads them, and
 * old_open() looks for a missing file N times, all with the numbers and registers of 32-bit code;
 * splice_out() moves 10 bytes from FOLDER/old into a pipe N times, and splice_in() from there to
 * FOLDER/moved. Prints "none" if the kernel has no calls of 32-bit code.
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 10, OLD_GETPID = 20, OLD_READ = 3, OLD_WRITE = 4, OLD_OPEN = 5 };

#define CALL __attribute__((noinline)) static

static volatile long sum;
static long number;
static int old, moved, ends[2];

/* Makes a system call of 32-bit code. Pointers must be below 4 GiB. */
static inline long old_call(long call, long a, const void *b, long c)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(call), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static char bytes[BYTES]; /* of an executable that is not position-independent */

CALL void old_write(void)
{
	for (long i = 0; i < number; i++)
		sum += old_call(OLD_WRITE, old, bytes, BYTES);
}

CALL void old_read(void)
{
	lseek(old, 0, SEEK_SET);
	for (long i = 0; i < number; i++)
		sum += old_call(OLD_READ, old, bytes, BYTES);
}

CALL void old_open(void)
{
	static const char path[] = "nowhere";

	for (long i = 0; i < number; i++)
		sum += old_call(OLD_OPEN, (long)path, NULL, 0);
}

CALL void splice_out(loff_t at)
{
	sum += splice(old, &at, ends[1], NULL, BYTES, 0);
}

CALL void splice_in(void)
{
	sum += splice(ends[0], NULL, moved, NULL, BYTES, 0);
}

static void give_up(int signal)
{
	static const char text[] = "none\n";

	(void)signal;
	_exit(write(1, text, sizeof(text) - 1) < 0);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");

	argv += wait;
	if (argc - wait != 3 || chdir(argv[1]))
		return 64;
	number = atol(argv[2]);
	old = open("old", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	moved = open("moved", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (old < 0 || moved < 0 || pipe2(ends, O_CLOEXEC))
		return 2;
	if (wait)
		await_signal();
	signal(SIGSEGV, give_up);
	if (old_call(OLD_GETPID, 0, NULL, 0) != getpid())
		give_up(0);
	old_write();
	old_read();
	old_open();
	for (long i = 0; i < number; i++) {
		splice_out(i * BYTES);
		splice_in();
	}
	return 0;
}
