/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that are inlined, up to three deep, into the stand-ins for a kernel and its module. */
#ifndef TESTS_SYMBOLS_PROGRAMS_KERNEL_STEP_H
#define TESTS_SYMBOLS_PROGRAMS_KERNEL_STEP_H

#define ALONE __attribute__((noipa))

static inline __attribute__((always_inline)) unsigned int step_mix(unsigned int n)
{
	n ^= n >> 7;
	n *= 0x9e3779b1;
	return n ^ n << 3;
}

static inline __attribute__((always_inline)) unsigned int step_twice(unsigned int n)
{
	return step_mix(step_mix(n) + 11);
}

static inline __attribute__((always_inline)) unsigned int step_walk(
	const unsigned int *list, int nr)
{
	unsigned int sum = 0;

	for (int i = 0; i < nr; i++)
		sum += step_twice(list[i]);
	return sum;
}

#endif
