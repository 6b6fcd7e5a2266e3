/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library whose work() spins in NAME_work until *OVER. */
#include "../../programs/burn.h"

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#ifndef NAME
#define NAME old
#endif

static volatile unsigned sink;

static __attribute__((noinline)) void JOIN(NAME, _work)(volatile sig_atomic_t *over)
{
	unsigned x = sink;

	while (!*over)
		x = burn_unit(x);
	sink = x;
}

void work(volatile sig_atomic_t *over);

void work(volatile sig_atomic_t *over)
{
	JOIN(NAME, _work)(over);
	__asm__ volatile("" ::: "memory");
}
