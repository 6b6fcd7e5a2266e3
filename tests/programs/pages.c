/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages [wait] FOLDER N: has page faults whose numbers getrusage(2) tells, after SIGUSR1 with wait.
 * grow() touches N pages of new memory, fill() lets the kernel write N pages into new memory,
 * load() reads N pages of a file in FOLDER by its mapping, after the kernel was asked to drop them
 * from its cache, and share() writes to N pages that it has in common with a child. Prints a line
 * "FUNCTION MINOR MAJOR" for each.
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

#define CALL __attribute__((noinline)) static

static volatile long sum;
static long number;
static int file;

static char *map(int fd, int protection)
{
	char *memory = mmap(NULL, (size_t)(number * PAGE), protection,
		MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (memory == MAP_FAILED)
		exit(2);
	madvise(memory, (size_t)(number * PAGE), MADV_NOHUGEPAGE);
	if (fd >= 0)
		madvise(memory, (size_t)(number * PAGE), MADV_RANDOM);
	return memory;
}

CALL void grow(char *memory)
{
	for (long i = 0; i < number; i++)
		((volatile char *)memory)[i * PAGE] = 1;
	__asm__ volatile("");
}

CALL void fill(char *memory)
{
	sum += pread(file, memory, (size_t)(number * PAGE), 0);
}

CALL void load(char *memory)
{
	for (long i = 0; i < number; i++)
		sum += ((volatile char *)memory)[i * PAGE];
	__asm__ volatile("");
}

CALL void share(char *memory)
{
	for (long i = 0; i < number; i++)
		((volatile char *)memory)[i * PAGE] = 2;
	__asm__ volatile("");
}

static struct result {
	const char *name;
	void (*call)(char *memory);
	long minor, major;
} results[] = {
	{"grow", grow, 0, 0}, {"fill", fill, 0, 0}, {"load", load, 0, 0}, {"share", share, 0, 0}};

CALL void measure(struct result *r, char *memory)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	getrusage(RUSAGE_SELF, &after);
	getrusage(RUSAGE_SELF, &before);
	r->call(memory);
	getrusage(RUSAGE_SELF, &after);
	r->minor = after.ru_minflt - before.ru_minflt;
	r->major = after.ru_majflt - before.ru_majflt;
}

static void make_file(void)
{
	char page[PAGE] = "x";

	file = open("pages", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	for (long i = 0; i < number; i++)
		sum += write(file, page, PAGE);
	fsync(file);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	char *memory;
	pid_t child;

	argv += wait;
	if (argc - wait != 3 || chdir(argv[1]))
		return 64;
	number = atol(argv[2]);
	make_file();
	if (wait)
		await_signal();
	memory = map(-1, PROT_READ | PROT_WRITE);
	measure(&results[0], memory);
	measure(&results[1], map(-1, PROT_READ | PROT_WRITE));
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	measure(&results[2], map(file, PROT_READ));
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	measure(&results[3], memory);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		printf("%s %ld %ld\n", results[i].name, results[i].minor, results[i].major);
	return 0;
}
