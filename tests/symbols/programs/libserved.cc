/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library whose functions are inlined into one that is exported and one that is not. */
#include "served.h"

namespace served
{

/* "C": the debug information and the symbols have the same name for it */
extern "C" {
static __attribute__((noinline)) void hidden(counter &c, unsigned n)
{
	repeat(n, [&](unsigned i) { c.add(i); });
	c.seen[0] += BUILD; /* prevents a tail call, and is work after the loop */
}
}

void digest(counter &c, unsigned n)
{
	hidden(c, n);
	repeat(n, [&](unsigned i) {
		if (i % 3)
			c.add(i);
	});
}

} // namespace served
