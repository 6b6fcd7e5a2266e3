/* SPDX-License-Identifier: GPL-2.0-or-later */
/* many [SECONDS [BITS [THREADS]]]: works at the end of 2^BITS (default 16) different call paths, in
 * random order. */
#include "burn.h"

#include <pthread.h>

static int bits = 16;
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
		sink = burn_unit(path);
	else if (path & 1)
		one(path >> 1, left - 1);
	else
		zero(path >> 1, left - 1);
	__asm__ volatile("" ::: "memory");
}

static void *walk(void *arg)
{
	unsigned seed = (unsigned)(unsigned long)arg + 1;

	while (!burn_over) {
		seed = seed * 1664525u + 1013904223u;
		step(seed >> (32 - bits), bits);
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
	for (long i = 1; i < threads && i < 16; i++)
		pthread_create(&list[i], NULL, walk, (void *)i);
	walk(NULL);
	for (int i = 1; i < threads && i < 16; i++)
		pthread_join(list[i], NULL);
	return 0;
}
