/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deep [SECONDS [DEPTH]]: works below DEPTH (default 512) calls of one function. */
#include "burn.h"

static volatile unsigned sink;

__attribute__((noinline)) static void work(void)
{
	sink = burn_unit(sink);
}

__attribute__((noinline)) static void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		while (!burn_over)
			work();
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	down(argc > 2 ? atoi(argv[2]) : 512);
	return 0;
}
