/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A known amount of work, and an end after some seconds or by SIGTERM. */
#ifndef TESTS_PROGRAMS_BURN_H
#define TESTS_PROGRAMS_BURN_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t burn_over;

static void burn_stop(int sig)
{
	(void)sig;
	burn_over = 1;
}

/* Ends the work after argv[1] seconds (default: never) or by SIGTERM. */
static inline void burn_init(int argc, char **argv)
{
	signal(SIGTERM, burn_stop);
	signal(SIGALRM, burn_stop);
	alarm(argc > 1 ? (unsigned)atoi(argv[1]) : 0);
}

/* Does one unit of work: the same instructions wherever it is inlined. */
static inline __attribute__((always_inline)) unsigned burn_unit(unsigned x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

#endif
