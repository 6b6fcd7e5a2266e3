/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alternate: even calls odd and odd calls even, with frames of many kinds. No function runs for
 * long, so every instruction of their prologues and epilogues is sampled. Two frames of the same
 * function side by side mean that a frame was missed.
 */
#include "case.h"

#include <alloca.h>

static NOINLINE unsigned even(unsigned depth, unsigned x);

static NOINLINE unsigned leaf(unsigned x)
{
	return x * 1664525u + 1013904223u;
}

static NOINLINE unsigned odd(unsigned depth, unsigned x)
{
	if (x & 0x10000) {
		char *room = alloca(x >> 24);

		case_keep(room);
		x++;
	}
	if (!depth)
		return leaf(x);
	x = even(depth - 1, leaf(x)) ^ depth;
	return leaf(x) + depth;
}

static NOINLINE unsigned even(unsigned depth, unsigned x)
{
	unsigned a = x * 3, b = x ^ 5, c = x + 7, d = x << 1, e = x >> 2;

	if (!depth)
		return leaf(x);
	x = odd(depth - 1, leaf(x));
	if (x & 1)
		return x;
	return leaf(x + a) + leaf(b) * c + d - e;
}

int main(int argc, char **argv)
{
	unsigned x = 1;

	burn_init(argc, argv);
	case_ready();
	while (!burn_over)
		x = even(x >> 28, leaf(x));
	case_sink = x;
	return 0;
}
