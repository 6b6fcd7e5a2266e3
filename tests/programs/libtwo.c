/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other half of the ladder in libone.c. */
typedef void (*ladder_end)(void *);
void one_step(int depth, ladder_end end, void *arg);
void two_step(int depth, ladder_end end, void *arg);

void two_step(int depth, ladder_end end, void *arg)
{
	if (depth > 0)
		one_step(depth - 1, end, arg);
	else
		end(arg);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}
