/* SPDX-License-Identifier: GPL-2.0-or-later */
/* served MILLISECONDS: uses that much processor time in calls inlined over two levels, in a
 * static function, and in a library. */
#include "served.h"

#include <cstdlib>
#include <ctime>

using served::counter;

static inline __attribute__((always_inline)) unsigned mix(counter &c, unsigned n)
{
	for (unsigned i = 0; i < 3000; i++) {
		n = n * 1664525 + 1013904223;
		c.add(n);
	}
	return n;
}

static inline __attribute__((always_inline)) unsigned step(counter &c, unsigned n)
{
	n = mix(c, n) + 1;
	served::digest(c, 2000);
	return n;
}

extern "C" {
static __attribute__((noinline)) unsigned walk(counter &c, unsigned n)
{
	served::repeat(20, [&](unsigned i) { n += step(c, n + i); });
	return n;
}
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? atol(argv[1]) : 1000) * (CLOCKS_PER_SEC / 1000);
	counter c;
	unsigned n = 1;

	c.seen.push_back(0);
	c.name = argv[0];
	while (clock() < end)
		n = walk(c, n);
	return c.name.empty() && !n;
}
