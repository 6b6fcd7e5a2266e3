/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truncated FILE [SPINS]: maps FILE, a writable ELF file, with execute permission, truncates it to
 * nothing and restores it, and maps another page of it. It repeats this without end, each time
 * after SPINS (20 million) rounds of a loop. A process that reads the file through a mapping gets
 * SIGBUS.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 1000 };

int main(int argc, char **argv)
{
	int spins = argc == 3 ? atoi(argv[2]) : 20000000;
	volatile unsigned long spun = 0;
	struct stat st;

	if (argc < 2)
		return 64;
	int fd = open(argv[1], O_RDWR);

	if (fd < 0 || fstat(fd, &st))
		return 1;
	char *content = malloc((size_t)st.st_size);

	if (!content || read(fd, content, (size_t)st.st_size) != st.st_size)
		return 1;
	if (mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	puts("spinning");
	fflush(stdout);
	for (int i = 0;; i++) {
		for (int k = 0; k < spins; k++)
			spun++;
		if (ftruncate(fd, i % 2 ? st.st_size : 0) ||
			(i % 2 && pwrite(fd, content, (size_t)st.st_size, 0) != st.st_size))
			return 1;
		if (i < PAGES)
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	}
}
