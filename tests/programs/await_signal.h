/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that do nothing before a recording has begun. */
#ifndef TESTS_PROGRAMS_AWAIT_SIGNAL_H
#define TESTS_PROGRAMS_AWAIT_SIGNAL_H

#include <signal.h>
#include <stdio.h>

/* Prints "spinning" and waits for SIGUSR1. */
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

#endif
