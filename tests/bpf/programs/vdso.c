/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vdso: asks for the time, over and over. */
#include "case.h"

#include <time.h>

static NOINLINE void tick(void)
{
	struct timespec now;

	while (!burn_over) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		case_sink += (unsigned)now.tv_nsec;
	}
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	tick();
	return 0;
}
