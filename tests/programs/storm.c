/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storm: four threads allocate, move and free blocks without end, as fast as they can. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 64, THREADS = 3 };

__attribute__((noreturn)) static void *work(void *arg)
{
	void *volatile blocks[BLOCKS] = {0};
	uint32_t random = (uint32_t)(uintptr_t)arg;

	for (;;) {
		random = random * 1103515245 + 12345;
		uint32_t i = random >> 16 & (BLOCKS - 1), size = random >> 20 & 1023;

		free(blocks[i]);
		blocks[i] = random & 256 ? malloc(size) : calloc(3, size);
		if (size % 16 == 0)
			blocks[i] = realloc(blocks[i], size + 2000);
	}
}

int main(void)
{
	pthread_t thread;

	for (uintptr_t i = 1; i <= THREADS; i++)
		if (pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	puts("spinning");
	fflush(stdout);
	work(NULL);
}
