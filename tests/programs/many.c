/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many [SECONDS [BITS [THREADS [RATE]]]]: works at the end of 2^BITS (default 16) different call
 * paths, in random order. With a RATE it does not work but calls getppid(2) there, RATE times per
 * second in each thread.
 */
#include "burn.h"

#include <pthread.h>
#include <time.h>

enum { TURN = 100 }; /* calls between two waits */

static int bits = 16, rate;
static volatile unsigned sink;

static void step(unsigned path, int left);

__attribute__((noinline)) static void zero(unsigned path, int left)
{
	step(path, left);
	__asm__ volatile("nop" ::: "memory"); /* keeps equal bodies from being merged */
}

__attribute__((noinline)) static void one(unsigned path, int left)
{
	step(path, left);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void step(unsigned path, int left)
{
	if (!left)
		sink = rate ? (unsigned)getppid() : burn_unit(path);
	else if (path & 1)
		one(path >> 1, left - 1);
	else
		zero(path >> 1, left - 1);
	__asm__ volatile("" ::: "memory");
}

/* Waits until the next TURN calls are due, at the time AT. */
static void wait_turn(struct timespec *at)
{
	at->tv_nsec += 1000000000L / rate * TURN;
	at->tv_sec += at->tv_nsec / 1000000000;
	at->tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, NULL);
}

static void *walk(void *arg)
{
	unsigned seed = (unsigned)(unsigned long)arg + 1;
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	for (unsigned nr = 1; !burn_over; nr++) {
		seed = seed * 1664525u + 1013904223u;
		step(seed >> (32 - bits), bits);
		if (rate && nr % TURN == 0)
			wait_turn(&at);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t list[16];

	burn_init(argc, argv);
	if (argc > 2)
		bits = atoi(argv[2]);
	if (argc > 4)
		rate = atoi(argv[4]);
	for (long i = 1; i < threads && i < 16; i++)
		pthread_create(&list[i], NULL, walk, (void *)i);
	walk(NULL);
	for (int i = 1; i < threads && i < 16; i++)
		pthread_join(list[i], NULL);
	return 0;
}
