/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other object of module.c. */
#include "step.h"

unsigned int module_more(unsigned int n);

__attribute__((cold)) ALONE unsigned int more_fail(unsigned int n);

unsigned int more_fail(unsigned int n)
{
	return step_mix(n) & 0xff;
}

ALONE unsigned int module_more(unsigned int n)
{
	static unsigned int seen[16];

	seen[n & 15] = step_twice(n);
	if (n == 42)
		return more_fail(n);
	return step_walk(seen, 16) + step_mix(n);
}
