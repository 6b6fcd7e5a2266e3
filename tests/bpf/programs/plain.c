/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain: three calls. Built in many ways, see the script build. */
#include "case.h"

static NOINLINE void three(void)
{
	volatile char room[200];

	case_keep(room);
	spin();
	case_keep(room);
}

static NOINLINE void two(int a, int b, int c, int d, int e, int f, int g, int h)
{
	volatile int sum = a + b + c + d + e + f + g;

	three();
	sum += h;
}

static NOINLINE void one(int n)
{
	two(n, 1, 2, 3, 4, 5, 6, 7);
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	one(argc);
	return 0;
}
