/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks [wait] FOLDER N: waits for locks of known kinds, N times each. The main thread holds each
 * lock until /proc tells that the other thread waits for it, so that the numbers of waits are
 * facts. Prints "tid TID" of the main thread. At the end a thread waits for a mutex that nobody
 * releases; if N is 0, the program then says that it is spinning, and joins this thread. FOLDER is
 * not used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "await_signal.h"

#define NOINLINE __attribute__((noinline, noclone))

enum { NAP_NS = 1000000 };

static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stuck_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pi_mutex;
static pthread_mutex_t signal_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t *table_lock; /* on the heap */
static int terminal_master, terminal;
static int end_pipe[2];
static int rounds;

/* The rounds of two threads, which take turns. */
static atomic_int turn;   /* the round that may begin */
static atomic_int done;   /* the round that has ended */
static atomic_int worker; /* the thread that is about to wait, or 0 */

static int my_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void nap(void)
{
	nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/* Waits until thread TID is blocked in system call NUMBER. */
static void until_in_call(int tid, long number)
{
	char path[64];
	long is;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	for (;; nap()) {
		FILE *f = fopen(path, "r");
		int nr = f ? fscanf(f, "%ld", &is) : 0; /* "running" if it is not blocked */

		if (f)
			fclose(f);
		if (nr == 1 && is == number)
			return;
	}
}

/* Waits until the worker is blocked in system call NUMBER. */
static void until_worker_in(long number)
{
	int tid;

	while (!(tid = atomic_exchange(&worker, 0)))
		nap();
	until_in_call(tid, number);
}

static void until_reaches(const atomic_int *number, int least)
{
	while (atomic_load(number) < least)
		nap();
}

static void *work(void *wait)
{
	for (int i = 1; i <= rounds; i++) {
		until_reaches(&turn, i);
		atomic_store(&worker, my_tid());
		((void (*)(void))wait)();
		atomic_store(&done, i);
	}
	return NULL;
}

/* Ends a thread without a wait for a futex. */
static void await_end(pthread_t thread)
{
	while (pthread_tryjoin_np(thread, NULL) == EBUSY)
		nap();
}

/*
 * Runs WAIT in another thread, after HOLD, in each round; it waits in system call NUMBER until
 * RELEASE.
 */
static void run(void (*wait)(void), void (*hold)(void), void (*release)(void), long number)
{
	pthread_t thread;

	atomic_store(&turn, 0);
	atomic_store(&done, 0);
	pthread_create(&thread, NULL, work, (void *)wait);
	for (int i = 1; i <= rounds; i++) {
		hold();
		atomic_store(&turn, i);
		until_worker_in(number);
		release();
		until_reaches(&done, i);
	}
	await_end(thread);
}

/* ---- a mutex ---- */

NOINLINE static void take_queue(void)
{
	pthread_mutex_lock(&queue_mutex);
	pthread_mutex_unlock(&queue_mutex);
}

static void hold_queue(void)
{
	pthread_mutex_lock(&queue_mutex);
}

NOINLINE static void release_queue(void)
{
	pthread_mutex_unlock(&queue_mutex);
	__asm__ volatile("" ::: "memory");
}

/* ---- a mutex that passes on priorities ---- */

NOINLINE static void take_urgent(void)
{
	pthread_mutex_lock(&pi_mutex);
	pthread_mutex_unlock(&pi_mutex);
}

static void hold_urgent(void)
{
	pthread_mutex_lock(&pi_mutex);
}

static void release_urgent(void)
{
	pthread_mutex_unlock(&pi_mutex);
}

/* ---- a condition variable ---- */

NOINLINE static void await_condition(void)
{
	pthread_mutex_lock(&signal_mutex);
	pthread_cond_wait(&signal_condition, &signal_mutex);
	pthread_mutex_unlock(&signal_mutex);
}

static void hold_nothing(void)
{
}

NOINLINE static void send_signal(void)
{
	pthread_cond_signal(&signal_condition);
	__asm__ volatile("" ::: "memory");
}

/* ---- a lock for readers and writers ---- */

NOINLINE static void change_table(void)
{
	pthread_rwlock_wrlock(table_lock);
	pthread_rwlock_unlock(table_lock);
}

static void hold_table(void)
{
	pthread_rwlock_rdlock(table_lock);
}

static void release_table(void)
{
	pthread_rwlock_unlock(table_lock);
}

/* ---- waits that fail ---- */

NOINLINE static void give_up(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += NAP_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_timedlock(&stuck_mutex, &until);
	__asm__ volatile("" ::: "memory");
}

/* ---- the end of a thread ---- */

static atomic_int joined_tid, helper_tid;

static void *read_end(void *unused)
{
	char c;

	atomic_store(&joined_tid, my_tid());
	return read(end_pipe[0], &c, 1) == 1 ? unused : NULL;
}

/* Lets the joined thread end when the main thread waits for it. */
static void *write_end(void *joiner)
{
	atomic_store(&helper_tid, my_tid());
	until_in_call((int)(intptr_t)joiner, SYS_futex);
	return write(end_pipe[1], "x", 1) == 1 ? joiner : NULL;
}

NOINLINE static void join(pthread_t thread)
{
	pthread_join(thread, NULL);
	__asm__ volatile("" ::: "memory");
}

/*
 * Waits until a thread that was joined is gone. Until then the kernel may wake the one that waits
 * for the end of the next thread, whose memory is the same.
 */
static void until_gone(int tid)
{
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		nap();
}

static void join_one(void)
{
	pthread_t joined, helper;

	pthread_create(&joined, NULL, read_end, NULL);
	pthread_create(&helper, NULL, write_end, (void *)(intptr_t)my_tid());
	join(joined);
	await_end(helper);
	until_gone(atomic_load(&joined_tid));
	until_gone(atomic_load(&helper_tid));
}

/* ---- a lock of the kernel: one thread at a time reads from a terminal ---- */

NOINLINE static void read_line(void)
{
	char line[16];

	if (read(terminal, line, sizeof(line)) != 2)
		abort();
}

static atomic_int first_turn, first_done; /* as turn and done */
static atomic_int first_tid;

static void *read_first(void *unused)
{
	atomic_store(&first_tid, my_tid());
	for (int i = 1; i <= rounds; i++) {
		until_reaches(&first_turn, i);
		read_line();
		atomic_store(&first_done, i);
	}
	return unused;
}

/* Waits until the first reader holds the lock. */
static void hold_terminal(void)
{
	atomic_fetch_add(&first_turn, 1);
	while (!atomic_load(&first_tid))
		nap();
	until_in_call(atomic_load(&first_tid), SYS_read);
}

static void release_terminal(void)
{
	if (write(terminal_master, "1\n2\n", 4) != 4)
		abort();
	until_reaches(&first_done, atomic_load(&first_turn));
}

static void open_terminal(void)
{
	struct termios t;

	terminal_master = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal_master < 0 || grantpt(terminal_master) || unlockpt(terminal_master))
		abort();
	terminal = open(ptsname(terminal_master), O_RDWR | O_NOCTTY);
	if (terminal < 0 || tcgetattr(terminal, &t))
		abort();
	t.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(terminal, TCSANOW, &t);
}

static void read_terminal(void)
{
	pthread_t thread;

	open_terminal();
	pthread_create(&thread, NULL, read_first, NULL);
	run(read_line, hold_terminal, release_terminal, SYS_read);
	await_end(thread);
}

/* ---- all ---- */

static void *stay(void *unused)
{
	atomic_store(&worker, my_tid());
	pthread_mutex_lock(&stuck_mutex);
	return unused;
}

static void wait_for_all(void)
{
	run(take_queue, hold_queue, release_queue, SYS_futex);
	run(take_urgent, hold_urgent, release_urgent, SYS_futex);
	run(await_condition, hold_nothing, send_signal, SYS_futex);
	run(change_table, hold_table, release_table, SYS_futex);
	for (int i = 0; i < rounds; i++)
		give_up();
	for (int i = 0; i < rounds; i++)
		join_one();
	read_terminal();
}

static void set_up(void)
{
	pthread_mutexattr_t pi;

	pthread_mutexattr_init(&pi);
	pthread_mutexattr_setprotocol(&pi, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi_mutex, &pi);
	table_lock = malloc(sizeof(*table_lock));
	if (!table_lock || pthread_rwlock_init(table_lock, NULL) || pipe(end_pipe))
		abort();
	pthread_mutex_lock(&stuck_mutex);
}

int main(int argc, char **argv)
{
	bool wait = argc > 1 && !strcmp(argv[1], "wait");
	pthread_t thread;

	if (argc - wait != 3)
		return 1;
	rounds = atoi(argv[argc - 1]);
	set_up();
	if (wait)
		await_signal();
	printf("tid %d\n", my_tid());
	fflush(stdout);
	if (rounds)
		wait_for_all();
	pthread_create(&thread, NULL, stay, NULL);
	until_worker_in(SYS_futex);
	if (rounds)
		return 0;
	puts("spinning");
	fflush(stdout);
	join(thread);
	return 0;
}
