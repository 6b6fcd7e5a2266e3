/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stand-in for a kernel module with two objects: .text and .text.unlikely have code of both. */
#include "step.h"

unsigned int module_list[64];
unsigned int module_more(unsigned int n);
unsigned int module_init(unsigned int n);

__attribute__((cold)) ALONE unsigned int module_fail(unsigned int n)
{
	return step_twice(n) | 1;
}

static ALONE unsigned int module_sum(unsigned int n)
{
	return step_walk(module_list, (int)(n & 63));
}

unsigned int module_init(unsigned int n)
{
	unsigned int sum = module_sum(n) + module_more(n);

	if (!sum)
		return module_fail(n);
	return step_mix(sum) + 1;
}
