/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coroutine: spins on a stack that the program made itself. */
#include "case.h"

#include <ucontext.h>

static ucontext_t back, there;

static NOINLINE void deeper(void)
{
	spin();
	NO_TAIL_CALL;
}

static void coroutine(void)
{
	deeper();
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	static char room[1 << 16];

	burn_init(argc, argv);
	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof(room);
	there.uc_link = &back;
	makecontext(&there, coroutine, 0);
	swapcontext(&back, &there);
	return 0;
}
