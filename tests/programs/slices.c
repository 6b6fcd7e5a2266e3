/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices [wait | stay] FOLDER N: takes N * 24 bytes with take() from an own memory, which gets
 * blocks of 4,096 bytes from malloc(), and gives a third of them back with give(), after SIGUSR1
 * with wait and stay. With stay it prints "done" and waits for another SIGUSR1.
 */
#include "await_signal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE = 24, BLOCK = 4096 };

static char *volatile block;
static size_t used = BLOCK;

/* The size is the second argument. */
__attribute__((noipa)) static void *take(const char *what, size_t size)
{
	(void)what;
	if (used + size > BLOCK) {
		block = malloc(BLOCK);
		used = 0;
	}
	used += size;
	return block ? block + used - size : NULL;
}

__attribute__((noipa)) static void give(void *slice)
{
	*(volatile char *)slice = 0;
}

int main(int argc, char **argv)
{
	bool stays = argc > 1 && !strcmp(argv[1], "stay");
	bool waits = stays || (argc > 1 && !strcmp(argv[1], "wait"));
	int number = argc - waits == 3 ? atoi(argv[2 + waits]) : 0;

	if (number <= 0)
		return 64;
	if (waits)
		await_signal();
	for (int i = 0; i < number; i++) {
		void *slice = take("slice", SLICE);

		if (slice && i % 3 == 0)
			give(slice);
	}
	if (stays) {
		puts("done");
		await_signal();
	}
	return 0;
}
