/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that do nothing before a recording has begun. */
#ifndef TESTS_PROGRAMS_AWAIT_SIGNAL_H
#define TESTS_PROGRAMS_AWAIT_SIGNAL_H

#include <signal.h>
#include <stdio.h>

/*
 * Blocks SIGUSR1. To be called before threads are created: a thread that does not block the signal
 * can be woken for it.
 */
static sigset_t block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return set;
}

/* Prints "spinning" and waits for SIGUSR1. */
static void await_signal(void)
{
	sigset_t set = block_signal();
	int number;

	puts("spinning");
	fflush(stdout);
	sigwait(&set, &number);
}

#endif
