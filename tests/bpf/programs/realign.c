/* SPDX-License-Identifier: GPL-2.0-or-later */
/* realign: has frames whose stack pointer was aligned to a boundary. One has its arguments on the
 * unaligned stack, so its CFA is in memory. The leaf is such a function, too. */
#include "case.h"

#include <alloca.h>

static NOINLINE void leaf(int n)
{
	_Alignas(128) volatile char room[256];
	unsigned x = (unsigned)n;

	case_keep(room);
	case_ready();
	while (!burn_over)
		x = burn_unit(x);
	room[0] = (char)x;
	case_keep(room);
}

static NOINLINE void arguments(int a, int b, int c, int d, int e, int f, int g, int h)
{
	_Alignas(64) volatile char room[64];
	char *more = alloca((size_t)(a + g));

	case_keep(room);
	case_keep(more);
	leaf(a + b + c + d + e + f + g);
	room[0] = (char)h;
	case_keep(room);
}

static NOINLINE void aligned(int n)
{
	_Alignas(64) volatile char room[64];

	case_keep(room);
	arguments(n, 1, 2, 3, 4, 5, 600, 7);
	case_keep(room);
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	aligned(argc);
	return 0;
}
