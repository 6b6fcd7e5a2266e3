/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grow [wait | stay] FOLDER N: each of its functions makes the resident memory larger by N pages,
 * born() in a child, except for drop(), which gives N pages back; after SIGUSR1 with wait and stay.
 * With stay it prints "done" at the end and waits for another SIGUSR1.
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
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

#define CALL __attribute__((noinline)) static

static size_t length;
static int file;
static volatile long sum;

static char *map(int fd, int flags)
{
	char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		exit(2);
	madvise(memory, length, MADV_NOHUGEPAGE);
	if (fd >= 0)
		madvise(memory, length, MADV_RANDOM);
	return memory;
}

/* Touches new memory. */
CALL void touch(char *memory)
{
	for (size_t i = 0; i < length; i += PAGE)
		((volatile char *)memory)[i] = 1;
	__asm__ volatile("");
}

/* Lets the kernel write into new memory. */
CALL void fill(char *memory)
{
	sum += pread(file, memory, length, 0);
}

/* Lets the kernel map new memory. */
CALL void populate(void)
{
	sum += *map(-1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE);
}

/* Touches new memory that children would share. */
CALL void share(char *memory)
{
	for (size_t i = 0; i < length; i += PAGE)
		((volatile char *)memory)[i] = 2;
	__asm__ volatile("");
}

/* Reads a file by its mapping. */
CALL void load(char *memory)
{
	for (size_t i = 0; i < length; i += PAGE)
		sum += ((volatile char *)memory)[i];
	__asm__ volatile("");
}

/* Gives memory back. */
CALL void drop(char *memory)
{
	madvise(memory, length, MADV_DONTNEED);
}

/* Touches new memory of a child, which has inherited other memory. */
CALL void born(char *memory)
{
	for (size_t i = 0; i < length; i += PAGE)
		((volatile char *)memory)[i] = 3;
	__asm__ volatile("");
}

CALL void spawn(void)
{
	pid_t child = fork();

	if (!child) {
		born(map(-1, MAP_PRIVATE | MAP_ANONYMOUS));
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void make_file(void)
{
	char page[PAGE] = "x";

	file = open("pages", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	for (size_t i = 0; i < length; i += PAGE)
		sum += write(file, page, PAGE);
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && !strcmp(argv[1], "stay");
	bool waits = stays || (argc > 1 && !strcmp(argv[1], "wait"));
	char *memory;

	argv += waits;
	if (argc - waits != 3 || chdir(argv[1]))
		return 64;
	length = (size_t)atol(argv[2]) * PAGE;
	make_file();
	if (waits)
		await_signal();
	memory = map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	touch(memory);
	fill(map(-1, MAP_PRIVATE | MAP_ANONYMOUS));
	populate();
	share(map(-1, MAP_SHARED | MAP_ANONYMOUS));
	load(map(file, MAP_SHARED));
	spawn();
	drop(memory);
	if (stays) {
		puts("done");
		await_signal();
	}
	return 0;
}
