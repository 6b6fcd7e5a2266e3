/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stand-in for a kernel: it never runs, only its addresses are looked up. */
#include "step.h"

unsigned int kernel_list[64];
unsigned int kernel_start(void);

static ALONE unsigned int kernel_read(int nr)
{
	return step_walk(kernel_list, nr) + 1;
}

static ALONE unsigned int kernel_write(unsigned int n)
{
	for (int i = 0; i < 64; i++)
		kernel_list[i] = step_twice(n + (unsigned int)i);
	return kernel_list[n % 64];
}

unsigned int kernel_start(void)
{
	unsigned int n = kernel_write(3);

	if (step_mix(n) & 1)
		n += kernel_read((int)(n & 31)) + 5;
	return step_mix(n + kernel_read(64));
}
