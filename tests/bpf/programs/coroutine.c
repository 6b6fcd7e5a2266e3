/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coroutine SECONDS [zero]: spins on a stack that the program allocated itself, switched by glibc
 * or in the way of Ruby. */
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

/* Enters a coroutine whose first function has the return address 0. */
static _Noreturn void resume_at_zero(char *end)
{
	__asm__ volatile("movq %0, %%rsp\n\txorl %%ebp, %%ebp\n\tpushq $0\n\tjmp *%1"
			 :
			 : "r"(end), "r"(coroutine));
	__builtin_unreachable();
}

int main(int argc, char **argv)
{
	static char room[1 << 16] __attribute__((aligned(16)));

	burn_init(argc, argv);
	if (argc > 2)
		resume_at_zero(room + sizeof(room));
	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof(room);
	there.uc_link = &back;
	makecontext(&there, coroutine, 0);
	swapcontext(&back, &there);
	return 0;
}
