/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks SECONDS: hardly ever has the same stack twice, so that its recording grows and grows; ends
 * after SECONDS of CPU time. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static void left(uint64_t path, unsigned depth);

static __attribute__((noinline)) void right(uint64_t path, unsigned depth)
{
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
	for (int i = 0; i < 100; i++)
		sink += path;
}

static __attribute__((noinline)) void left(uint64_t path, unsigned depth)
{
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
	for (int i = 0; i < 100; i++)
		sink += path;
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 1 ? atoi(argv[1]) : 1) * CLOCKS_PER_SEC;
	uint64_t path = 88172645463325252ULL;

	while (clock() < end) /* which may take as long as a call */
		for (int i = 0; i < 16; i++) {
			path ^= path << 13;
			path ^= path >> 7;
			path ^= path << 17;
			left(path, 120);
		}
	return 0;
}
