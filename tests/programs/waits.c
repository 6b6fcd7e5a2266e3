/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits [SECONDS]: threads that mostly wait, each in a way of its own:
 * - sleeper sleeps 50 ms and works 50 ms;
 * - never waits once, from its beginning to its end;
 * - giver and taker work 5 ms and sleep 15 ms in turns;
 * - pair and pair work all the time, both on one processor.
 *
 * At the end it prints what is true of each: "TID NAME WALL ONCPU BLOCKED WAITS", times in
 * microseconds. WALL and BLOCKED (around the calls that may wait, so with the time from being woken
 * until it runs) are by the monotonic clock, ONCPU by the thread's own.
 */
#define _GNU_SOURCE
#include "burn.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

struct thread {
	const char *name;
	void (*work)(struct thread *t);
	int turn; /* of the threads that work in turns */
	pthread_t handle;
	int tid;
	uint64_t since;
	uint64_t wall, oncpu, blocked; /* ns */
	uint64_t waits;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static int never_written[2];
static volatile unsigned sink;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

__attribute__((noinline)) static void work_for(unsigned ms)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ULL;

	while (!burn_over && now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 10; i++)
			sink = burn_unit(sink);
}

static void waited(struct thread *t, uint64_t since)
{
	t->blocked += now(CLOCK_MONOTONIC) - since;
	t->waits++;
}

__attribute__((noinline)) static void sleep_for(struct thread *t, unsigned ms)
{
	struct timespec ts = {.tv_nsec = ms * 1000000L};
	uint64_t since = now(CLOCK_MONOTONIC);

	nanosleep(&ts, NULL);
	waited(t, since);
}

__attribute__((noinline)) static void sleep_and_work(struct thread *t)
{
	sleep_for(t, 50);
	work_for(50);
}

__attribute__((noinline)) static void wait_to_the_end(struct thread *t)
{
	uint64_t since = now(CLOCK_MONOTONIC);
	char byte;

	while (read(never_written[0], &byte, 1) < 0)
		;
	waited(t, since);
}

__attribute__((noinline)) static void await_turn(struct thread *t)
{
	uint64_t since = now(CLOCK_MONOTONIC);

	pthread_mutex_lock(&lock);
	while (turn != t->turn && !burn_over)
		pthread_cond_wait(&turned, &lock);
	pthread_mutex_unlock(&lock);
	waited(t, since);
}

static void pass_turn(struct thread *t)
{
	uint64_t since = now(CLOCK_MONOTONIC);

	pthread_mutex_lock(&lock);
	turn = !t->turn;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	waited(t, since);
}

__attribute__((noinline)) static void work_in_turns(struct thread *t)
{
	await_turn(t);
	work_for(5);
	sleep_for(t, 15);
	pass_turn(t);
}

__attribute__((noinline)) static void compete(struct thread *t)
{
	cpu_set_t one;

	(void)t;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	work_for(50);
}

static void *run(void *arg)
{
	struct thread *t = arg;

	t->tid = (int)syscall(SYS_gettid);
	while (!burn_over)
		t->work(t);
	t->wall = now(CLOCK_MONOTONIC) - t->since;
	t->oncpu = now(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

/* Waits until a signal ends the program. Only this thread takes signals; they would interrupt the
 * waits of other threads. */
static void wait_for_signal(void)
{
	sigset_t none;

	sigemptyset(&none);
	while (!burn_over)
		sigsuspend(&none);
}

static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	static struct thread list[] = {
		{.name = "sleeper", .work = sleep_and_work},
		{.name = "never", .work = wait_to_the_end},
		{.name = "giver", .work = work_in_turns, .turn = 0},
		{.name = "taker", .work = work_in_turns, .turn = 1},
		{.name = "pair", .work = compete},
		{.name = "pair", .work = compete},
	};
	enum { NR = sizeof(list) / sizeof(*list) };

	block_signals();
	burn_init(argc, argv);
	if (pipe(never_written))
		return 1;
	for (int i = 0; i < NR; i++) {
		list[i].since = now(CLOCK_MONOTONIC); /* its first wait is for a processor */
		pthread_create(&list[i].handle, NULL, run, &list[i]);
	}
	wait_for_signal();
	close(never_written[1]);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < NR; i++) {
		struct thread *t = &list[i];

		pthread_join(t->handle, NULL);
		printf("%d %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->tid, t->name,
			t->wall / 1000, t->oncpu / 1000, t->blocked / 1000, t->waits);
	}
	return 0;
}
