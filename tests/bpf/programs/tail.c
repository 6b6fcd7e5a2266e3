/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tail: second calls third as a tail call, so second is not on the stack. */
#include "case.h"

static NOINLINE void third(int n)
{
	spin();
	case_sink += (unsigned)n;
}

static NOINLINE void second(int n)
{
	third(n + 1);
}

static NOINLINE void first(int n)
{
	second(n + 1);
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	first(argc);
	return 0;
}
