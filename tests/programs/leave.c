/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leave ROUNDS: fills memory, so that its return to the kernel takes time, in execve of itself,
 * ROUNDS times, and in exit. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 96 << 20, PAGE = 4096 };

int main(int argc, char **argv)
{
	char rounds[16];
	int left = argc > 1 ? atoi(argv[1]) : 0;
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, SIZE, MADV_NOHUGEPAGE))
		return 2;
	for (size_t i = 0; i < SIZE; i += PAGE)
		memory[i] = 1;
	if (left <= 0)
		return 0;
	snprintf(rounds, sizeof(rounds), "%d", left - 1);
	execl("/proc/self/exe", argv[0], rounds, (char *)NULL);
	return 2;
}
