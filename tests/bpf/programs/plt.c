/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plt: calls a tiny function in a library through a stub of the procedure linkage table, which the
 * first call has bound. */
#include "case.h"

unsigned tiny(unsigned x);

static NOINLINE void calls(void)
{
	unsigned x = 0;

	while (!burn_over)
		for (int i = 0; i < 20000; i++)
			x = tiny(x);
	case_sink = x;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	calls();
	return 0;
}
