/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings NR [PER_SECOND]: has NR executable mappings, single pages of anonymous memory. The
 * kernel cannot merge them because every second one is writable. Runs the code in the first one now
 * and then, or, with PER_SECOND, all the time while it changes the protection of the others
 * PER_SECOND times a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, READ_EXEC = PROT_READ | PROT_EXEC };

/* counts rdi down, then returns: dec %rdi; jnz; ret */
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, changes = 0;
	double rate = argc > 2 ? strtod(argv[2], NULL) : 0, began;

	if (nr < 2)
		return 64;
	unsigned char *area =
		mmap(NULL, nr * PAGE, READ_EXEC | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return 1;
	memcpy(area, code, sizeof(code));
	for (size_t i = 0; i < nr; i += 2)
		if (mprotect(area + i * PAGE, PAGE, READ_EXEC)) {
			perror("mprotect");
			return 1;
		}
	puts("spinning");
	fflush(stdout);
	began = seconds();
	for (;;) {
		((void (*)(unsigned long))(void *)area)(rate > 0 ? 20000 : 200000);
		if (rate <= 0)
			usleep(1000); /* leaves the processor to other processes, too */
		for (double due = rate * (seconds() - began); changes < due; changes++) {
			size_t page = 2 * (1 + changes % (nr / 2 - 1));
			int prot = changes / nr % 2 ? READ_EXEC : PROT_READ;

			if (mprotect(area + page * PAGE, PAGE, prot))
				return 1;
		}
	}
}
