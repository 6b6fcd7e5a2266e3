/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hits [wait] CALLS QUIET [PAGES]: calls often() CALLS times and seldom(), which calls getppid(),
 * QUIET times, and touches PAGES pages of new memory; with wait it does so after SIGUSR1. hits
 * forever: calls seldom() until it is ended.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned sum;

static __attribute__((noinline)) void often(unsigned n)
{
	sum += n;
	__asm__ volatile("");
}

static __attribute__((noinline)) void seldom(void)
{
	sum += (unsigned)getppid();
}

static __attribute__((noinline)) void repeat(long calls, long quiet)
{
	for (long i = 0; i < calls; i++) {
		often((unsigned)i);
		if (i < quiet)
			seldom();
	}
	__asm__ volatile("");
}

static __attribute__((noinline)) void touch(char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		((volatile char *)memory)[i * 4096] = 1;
	__asm__ volatile("");
}

static void await_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("spinning");
	fflush(stdout);
	sigwait(&set, &number);
}

static void run_forever(void)
{
	puts("spinning");
	fflush(stdout);
	for (;;) {
		seldom();
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "forever"))
		run_forever();
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		await_signal();
		argc--;
		argv++;
	}
	if (argc < 3)
		return 64;
	long pages = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

	repeat(strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10));
	if (!pages)
		return 0;
	char *memory = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE))
		return 1;
	touch(memory, pages);
	return 0;
}
