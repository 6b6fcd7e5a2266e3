/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noreturn: a function ends with a call that does not return, so the return address belongs to the
 * next function. Built without gaps between functions. */
#include "case.h"

static NOINLINE __attribute__((noreturn)) void forever(const volatile char *room)
{
	(void)room;
	spin();
	_exit(0);
}

NOINLINE void last_call(int n);
NOINLINE void behind_it(void);

NOINLINE void last_call(int n)
{
	volatile char room[1000];

	room[n] = 0;
	forever(room);
}

NOINLINE void behind_it(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	last_call(argc);
	behind_it();
	return 0;
}
