/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps [wait | stay] FOLDER N: each of its functions maps known numbers of pages, after SIGUSR1
 * with wait and stay: N, twice or three times as many, some of which are unmapped or replaced
 * again. With stay it prints "done" at the end and waits for another SIGUSR1.
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

#define CALL __attribute__((noinline)) static

static size_t length; /* of N pages */
static int file = -1;
static volatile long calls; /* so that no call is the last one of a function */

static char *checked(void *memory)
{
	calls++;
	if (memory == MAP_FAILED)
		exit(2);
	return memory;
}

/* Maps new memory at ADDRESS, or anywhere if that is NULL. */
#define MAP(address, size)                                                                         \
	checked(mmap(address, size, PROT_READ | PROT_WRITE,                                        \
		MAP_PRIVATE | MAP_ANONYMOUS | ((address) ? MAP_FIXED : 0), -1, 0))

CALL void keep(void)
{
	MAP(NULL, length);
}

CALL void drop(void)
{
	munmap(MAP(NULL, length), length);
	calls++;
}

CALL void trim(void)
{
	char *memory = MAP(NULL, 3 * length);

	munmap(memory, length);
	munmap(memory + 2 * length, length);
	calls++;
}

CALL void hollow(void)
{
	munmap(MAP(NULL, 3 * length) + length, length);
	calls++;
}

CALL void tail(char *memory)
{
	MAP(memory + length, length);
}

CALL void front(char *memory)
{
	MAP(memory, length);
}

CALL void replaced(void)
{
	char *memory = MAP(NULL, 3 * length);

	tail(memory);
	front(memory);
}

CALL void inner(char *memory)
{
	MAP(memory + length, 2 * length);
}

CALL void outer(void)
{
	char *memory = MAP(NULL, 3 * length);

	inner(memory);
	munmap(memory, 3 * length);
	/* the same addresses are used again, but not all of them */
	MAP(memory, length);
	munmap(memory, length);
	calls++;
}

CALL char *larger(char *memory)
{
	return checked(mremap(memory, length, 2 * length, MREMAP_MAYMOVE));
}

CALL void moved(void)
{
	char *memory = MAP(NULL, length);

	munmap(larger(memory), length);
	calls++;
}

CALL void heap(void)
{
	char *end = sbrk(0);

	checked((void *)(brk(end + 2 * length) ? MAP_FAILED : end));
	checked((void *)(brk(end + length) ? MAP_FAILED : end));
}

CALL void load(void)
{
	checked(mmap(NULL, length, PROT_READ, MAP_SHARED, file, 0));
}

/* A child holds what it has inherited, and loses it. */
CALL void spawn(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	calls++;
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && !strcmp(argv[1], "stay");
	bool waits = stays || (argc > 1 && !strcmp(argv[1], "wait"));

	argv += waits;
	if (argc - waits != 3 || chdir(argv[1]))
		return 64;
	length = (size_t)atol(argv[2]) * PAGE;
	file = open("mapped", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file < 0 || ftruncate(file, (off_t)length))
		return 2;
	if (waits)
		await_signal();
	keep();
	drop();
	trim();
	hollow();
	replaced();
	outer();
	moved();
	heap();
	load();
	spawn();
	if (stays) {
		puts("done");
		await_signal();
	}
	return 0;
}
