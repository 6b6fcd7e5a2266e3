/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hits [wait] CALLS QUIET [PAGES]: calls often() CALLS times and seldom(), which calls getppid(),
 * QUIET times, and touches PAGES pages of new memory and tells how many page faults that made; with
 * wait it does so after SIGUSR1. hits
 * forever: calls seldom() until it is ended. hits [wait] values N: calls give(I, 10 * I), which
 * returns I, or -1 for each fourth I, and writes 100 bytes, for I from 1 to N. hits [wait] calls N:
 * calls N times nap(), which takes 2 ms; dive(3), which calls itself with 2, 1 and 0 and takes 1 ms
 * in each call; jumped(), which longjmp() leaves; and in threads ended(), in which they exit.
 */
#include "await_signal.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static __attribute__((noinline)) int give(int number, unsigned long bytes)
{
	sum += (unsigned)bytes;
	__asm__ volatile("");
	return number % 4 ? number : -1;
}

static int give_values(int nr)
{
	static const char bytes[100];
	int to = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (int i = 1; i <= nr; i++) {
		sum += (unsigned)give(i, 10 * (unsigned long)i);
		sum += (unsigned)write(to, bytes, sizeof(bytes));
	}
	return 0;
}

static __attribute__((noinline)) void nap(void)
{
	usleep(2000);
	__asm__ volatile("");
}

static __attribute__((noinline)) void dive(int depth)
{
	usleep(1000);
	if (depth)
		dive(depth - 1);
	__asm__ volatile("");
}

static jmp_buf place;

static __attribute__((noinline)) void jumped(void)
{
	longjmp(place, 1);
}

static __attribute__((noinline)) void *ended(void *arg)
{
	if (arg)
		pthread_exit(arg);
	return arg;
}

static int make_calls(volatile int nr)
{
	for (volatile int i = 0; i < nr; i++) {
		pthread_t thread;

		nap();
		dive(3);
		if (!setjmp(place))
			jumped();
		if (pthread_create(&thread, NULL, ended, &place) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
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
	if (!strcmp(argv[1], "values"))
		return give_values(atoi(argv[2]));
	if (!strcmp(argv[1], "calls"))
		return make_calls(atoi(argv[2]));
	long pages = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

	repeat(strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10));
	if (!pages)
		return 0;
	char *memory = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE))
		return 1;
	faults();
	long before = faults();

	touch(memory, pages);
	printf("%ld\n", faults() - before);
	return 0;
}
