/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library that late.c loads while it runs. */
void late_work(void (*callback)(void));

void late_work(void (*callback)(void))
{
	for (int i = 0; i < 100; i++)
		callback();
	__asm__ volatile("" ::: "memory");
}
