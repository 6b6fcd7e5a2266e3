/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap [wait | stay] FOLDER N: allocates and frees memory, so that its bytes and calls are known,
 * after SIGUSR1 with wait and stay. With stay it prints "done" at the end and waits for another
 * SIGUSR1. FOLDER is not used.
 *
 * Freed at once: plain() N * 100 bytes with malloc(), zeroed() N * 10 * 20 with calloc(), grown()
 * realloc() from NULL to 1, 2, … N bytes, aligned() N * (300 with posix_memalign(), 128 with
 * aligned_alloc(), 40 with memalign()), array() N * 3 * 7 with reallocarray(), nothing() N * 0 with
 * malloc(), and failing() N calls of realloc() to 2^30
 * bytes, which fail, for a block of 60 bytes. Kept: leak()
 * N * 48 with malloc(), moved() N * 70 with realloc() from 30, inherit() 500 that the child frees
 * for itself, which also allocates N * 90 in spawn(); shared() N * 80 by a thread, of which the
 * main thread frees half in unshared(); and swapped() N * 55, the last one of each 2.
 */
#define _GNU_SOURCE
#include "await_signal.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL __attribute__((noinline)) static

static void *volatile kept;
static void **shared_blocks;
static int number;

/* Chains a block to the others that are kept. */
static void keep(void *block)
{
	*(void **)block = kept;
	kept = block;
}

CALL void plain(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = malloc(100);

		free(p);
	}
}

CALL void zeroed(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = calloc(10, 20);

		free(p);
	}
}

CALL void grown(void)
{
	void *volatile p = NULL;

	for (int i = 1; i <= number; i++)
		p = realloc(p, (size_t)i);
	free(p);
}

CALL void aligned(void)
{
	for (int i = 0; i < number; i++) {
		void *p = NULL;
		void *volatile q = aligned_alloc(64, 128);
		void *volatile r = memalign(16, 40);

		if (posix_memalign(&p, 64, 300))
			abort();
		free(p);
		free(q);
		free(r);
	}
}

CALL void array(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = reallocarray(NULL, 3, 7);

		free(p);
	}
}

CALL void nothing(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = malloc(0);

		free(p);
	}
}

/* Sets the limit of the address space, which is 0 for no limit. */
static void limit_memory(rlim_t bytes)
{
	struct rlimit limit = {bytes ? bytes : RLIM_INFINITY, RLIM_INFINITY};

	if (setrlimit(RLIMIT_AS, &limit))
		abort();
}

CALL void failing(void)
{
	void *p = malloc(60);

	limit_memory(1 << 29);
	for (int i = 0; i < number; i++)
		if (realloc(p, 1 << 30))
			abort();
	limit_memory(0);
	keep(p);
}

CALL void leak(void)
{
	for (int i = 0; i < number; i++)
		keep(malloc(48));
}

CALL void moved(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = malloc(30);

		keep(realloc(p, 70));
	}
}

CALL void swapped(void)
{
	void *volatile p = malloc(55);

	for (int i = 1; i < number; i++) {
		void *volatile q = malloc(55);

		free(p);
		p = q;
	}
	keep(p);
}

CALL void *shared(void *arg)
{
	for (int i = 0; i < number; i++)
		shared_blocks[i] = malloc(80);
	return arg;
}

CALL void unshared(void)
{
	for (int i = 0; i < number; i++)
		if (i % 2)
			free(shared_blocks[i]);
		else
			keep(shared_blocks[i]);
}

CALL void spawn(void)
{
	for (int i = 0; i < number; i++) {
		void *volatile p = malloc(90);

		keep(p);
	}
}

CALL void inherit(void)
{
	void *volatile p = malloc(500);
	pid_t child = fork();

	if (!child) {
		free(p);
		spawn();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	keep(p);
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && !strcmp(argv[1], "stay");
	bool waits = stays || (argc > 1 && !strcmp(argv[1], "wait"));
	void *blocks[10000];
	pthread_t thread;

	argv += waits;
	if (argc - waits != 3)
		return 64;
	number = atoi(argv[2]);
	if (number < 2 || number > 10000)
		return 64;
	shared_blocks = blocks;
	if (waits)
		await_signal();
	plain();
	zeroed();
	grown();
	aligned();
	array();
	nothing();
	failing();
	leak();
	moved();
	swapped();
	inherit();
	if (pthread_create(&thread, NULL, shared, NULL))
		return 1;
	pthread_join(thread, NULL);
	unshared();
	if (stays) {
		puts("done");
		await_signal();
	}
	return 0;
}
