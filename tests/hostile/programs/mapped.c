/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped FILE…: maps the beginning of each FILE with execute permission, prints "spinning" and
 * spins three calls below main.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned long spins;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		spins++;
}

__attribute__((noinline)) static void inner(void)
{
	spin();
	spins = 0;
}

__attribute__((noinline)) static void outer(void)
{
	inner();
	spins = 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0 || mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
				      MAP_FAILED) {
			perror(argv[i]);
			return 1;
		}
		close(fd);
	}
	puts("spinning");
	fflush(stdout);
	outer();
	return 0;
}
