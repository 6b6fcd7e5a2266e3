/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two loops, one with calls that the compiler inlines. */
#include <stdio.h>
#include <stdlib.h>
#include "annotated.h"

__attribute__((noinline)) unsigned hash(unsigned n)
{
	unsigned h = 1;

	for (unsigned i = 0; i < n; i++)
		h = step(h, i);
	return h;
}

__attribute__((noinline)) unsigned divide(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 1; i < n; i++)
		s += n / i;
	return s;
}

__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned h = hash(n);

	h += divide(n / 4);
	return h;
}

int main(int argc, char **argv)
{
	unsigned h = 0;

	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 100); i++)
		h += work(1000000);
	printf("%u\n", h);
	return 0;
}
