/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks [N]: threads that wait for futexes at bad addresses, for many different ones, with lists
 * that cannot be read, and that end in their waits; or N threads that wait for ever, with small
 * stacks. Prints "spinning" and goes on until it is killed.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum {
	FUTEXES = 1 << 16,
	THREADS = 2,
	DYING = 16,
	AN_HOUR = 3600,
	SMALL = 1 << 15,
	SHORT_NS = 1000
};

static uint32_t futexes[FUTEXES];
static const struct timespec at_once = {0, SHORT_NS};

static void *wait_for_many(void *unused)
{
	for (uint32_t i = 0;; i++)
		syscall(SYS_futex, &futexes[i % FUTEXES], FUTEX_WAIT, 0, &at_once, NULL, 0);
	return unused;
}

static void *wait_for_nothing(void *unused)
{
	for (uint64_t i = 0;; i++) {
		syscall(SYS_futex, (void *)(i << 40), FUTEX_WAIT, 0, &at_once, NULL, 0);
		syscall(SYS_futex, 3, FUTEX_LOCK_PI, 0, &at_once, NULL, 0);
		syscall(SYS_futex_waitv, (void *)(i << 32), 1, 0, NULL, 0);
		syscall(SYS_futex, &futexes, -1, 0, NULL, NULL, 0);
		syscall(SYS_futex, &futexes, FUTEX_WAIT, 1, NULL, NULL, 0);
	}
	return unused;
}

static void *wait_for_ever(void *futex)
{
	for (;;)
		syscall(SYS_futex, futex, FUTEX_WAIT, 0, &(struct timespec){AN_HOUR, 0}, NULL, 0);
	return NULL;
}

/* Ends with threads that wait. */
static void die(void)
{
	pthread_t thread;

	for (int i = 0; i < DYING; i++)
		pthread_create(&thread, NULL, wait_for_ever, &futexes[i]);
	_exit(0);
}

static int wait_with(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL);
	for (int i = 0; i < nr; i++)
		if (pthread_create(&thread, &attr, wait_for_ever, &futexes[i % FUTEXES]))
			return 1;
	puts("spinning");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		return wait_with(atoi(argv[1]));
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, wait_for_many, NULL);
		pthread_create(&thread, NULL, wait_for_nothing, NULL);
		pthread_create(&thread, NULL, wait_for_ever, &futexes[i]);
	}
	puts("spinning");
	fflush(stdout);
	for (;; usleep(1000)) {
		pid_t pid = fork();

		if (!pid)
			die();
		waitpid(pid, NULL, 0);
	}
}
