/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place SECONDS: spins in main;NAME_outer;NAME_inner. NAME distinguishes builds. */
#include "../../programs/burn.h"

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#ifndef NAME
#define NAME old
#endif

static volatile unsigned sink;

static __attribute__((noinline)) void JOIN(NAME, _inner)(void)
{
	unsigned x = sink;

	while (!burn_over)
		x = burn_unit(x);
	sink = x;
}

static __attribute__((noinline)) void JOIN(NAME, _outer)(void)
{
	JOIN(NAME, _inner)();
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	if (write(STDOUT_FILENO, "spinning\n", 9) != 9)
		return 2;
	JOIN(NAME, _outer)();
	return 0;
}
