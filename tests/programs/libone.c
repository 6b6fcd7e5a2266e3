/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Half of a ladder of calls between two libraries: one_step -> two_step -> one_step … */
typedef void (*ladder_end)(void *);
void two_step(int depth, ladder_end end, void *arg);
void one_step(int depth, ladder_end end, void *arg);

void one_step(int depth, ladder_end end, void *arg)
{
	if (depth > 0)
		two_step(depth - 1, end, arg);
	else
		end(arg);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}
