/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recurse [SECONDS [DEPTH]]: spins below DEPTH (default 100) calls of one function. */
#include "case.h"

static NOINLINE void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		spin();
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	down(argc > 2 ? atoi(argv[2]) : 100);
	return 0;
}
