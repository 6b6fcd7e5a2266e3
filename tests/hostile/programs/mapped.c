/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped FILE: maps the first page of FILE with execute permission, and spins. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	volatile unsigned long spins = 0;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	puts("spinning");
	fflush(stdout);
	for (;;)
		spins++;
}
