// SPDX-License-Identifier: GPL-2.0-or-later
// A target for lab.stp: calls work() until it is stopped.
#include <unistd.h>

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

int main(void)
{
	for (;;) {
		work();
		usleep(1000);
	}
}
