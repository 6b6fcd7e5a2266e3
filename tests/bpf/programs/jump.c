/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jump: works below ten calls and leaves them by longjmp, over and over. */
#include "case.h"

#include <setjmp.h>

static jmp_buf back;

static NOINLINE void work(void)
{
	case_sink = burn_unit(case_sink);
}

static NOINLINE void hop(int depth)
{
	if (depth > 1) {
		hop(depth - 1);
		NO_TAIL_CALL;
		return;
	}
	work();
	if (!burn_over)
		longjmp(back, 1);
}

static NOINLINE void run(void)
{
	if (!setjmp(back))
		hop(10);
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	while (!burn_over)
		run();
	return 0;
}
