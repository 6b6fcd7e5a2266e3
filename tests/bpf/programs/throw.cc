// SPDX-License-Identifier: GPL-2.0-or-later
// throw: throws exceptions twenty calls deep and catches them at the bottom, over and over.
#include "case.h"

#include <stdexcept>

static NOINLINE void fall(int depth)
{
	if (depth > 1)
		fall(depth - 1);
	else
		throw std::runtime_error("bottom");
	NO_TAIL_CALL;
}

static NOINLINE void run()
{
	try {
		fall(20);
	} catch (const std::exception &) {
		case_sink = case_sink + 1;
	}
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	while (!burn_over)
		run();
	return 0;
}
