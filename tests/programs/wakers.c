/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wakers [wait] FOLDER N: the main thread wakes another thread, which wakes a third one, in a child
 * process, N times each. The main thread begins a round when both have got the bytes of all others
 * and /proc tells that they wait, so that the numbers of waits are facts. Prints "child PID". If N
 * is 0, both others wait for ever, and the program says that it is spinning. FOLDER is not used.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await_signal.h"

#define NOINLINE __attribute__((noinline, noclone))

enum { NAP_NS = 1000000 };

static int to_second[2], to_third[2];
static int rounds, child, second_tid;
static struct {
	int second, third;
} * got; /* bytes that the threads have read, shared with the child */

NOINLINE static void nap(void)
{
	nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/*
 * Waits until thread TID, which counts the bytes that it gets in *NR_GOT, has got NR and is blocked
 * in read(2). /proc alone does not tell: a thread whose wake-up is still on its way to another
 * processor is shown as blocked.
 */
static void until_reading(int tid, const int *nr_got, int nr)
{
	char path[64];
	long call;

	while (__atomic_load_n(nr_got, __ATOMIC_SEQ_CST) < nr)
		nap();
	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	for (;; nap()) {
		FILE *f = fopen(path, "r");
		int nr = f ? fscanf(f, "%ld", &call) : 0; /* "running" if it is not blocked */

		if (f)
			fclose(f);
		if (nr == 1 && call == SYS_read)
			return;
	}
}

NOINLINE static bool await(int fd)
{
	char c;

	return read(fd, &c, 1) == 1;
}

NOINLINE static void start(void)
{
	if (write(to_second[1], "x", 1) != 1)
		abort();
}

NOINLINE static void pass_on(void)
{
	if (write(to_third[1], "x", 1) != 1)
		abort();
}

static void *second(void *unused)
{
	__atomic_store_n(&second_tid, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	while (await(to_second[0])) {
		__atomic_add_fetch(&got->second, 1, __ATOMIC_SEQ_CST);
		pass_on();
	}
	return unused;
}

NOINLINE static void third(void)
{
	close(to_second[1]);
	close(to_third[1]);
	while (await(to_third[0]))
		__atomic_add_fetch(&got->third, 1, __ATOMIC_SEQ_CST);
}

static void make_child(void)
{
	child = fork();
	if (child < 0)
		abort();
	if (child)
		return;
	third();
	_exit(0);
}

/* Waits until both others wait and have got the bytes of NR rounds. */
static void until_waiting(int nr)
{
	until_reading(second_tid, &got->second, nr);
	until_reading(child, &got->third, nr);
}

/* Wakes the others when both wait after NR rounds. */
static void wake_others(int nr)
{
	until_waiting(nr);
	start();
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	pthread_t thread;

	if (argc - wait != 3 || pipe(to_second) || pipe(to_third))
		return 1;
	got = mmap(NULL, sizeof(*got), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (got == MAP_FAILED)
		return 1;
	rounds = atoi(argv[argc - 1]);
	block_signal();
	make_child();
	pthread_create(&thread, NULL, second, NULL);
	while (!__atomic_load_n(&second_tid, __ATOMIC_SEQ_CST))
		nap();
	until_waiting(0);
	printf("child %d\n", child);
	if (wait || !rounds)
		await_signal();
	for (int i = 0; i < rounds; i++) {
		nap(); /* which only an interrupt ends */
		wake_others(i);
	}
	until_waiting(rounds);
	close(to_second[1]);
	pthread_join(thread, NULL);
	close(to_third[1]);
	return waitpid(child, NULL, 0) != child;
}
