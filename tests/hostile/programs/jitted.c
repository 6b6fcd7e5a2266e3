/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitted SECONDS: runs code in anonymous memory, as JIT compilers generate it; prints its address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

int main(int argc, char **argv)
{
	/* dec rdi; jnz back; ret */
	static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	void *memory = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned long);

	if (memory == MAP_FAILED)
		return 2;
	memcpy(memory, code, sizeof(code));
	memcpy(&run, &memory, sizeof(run));
	printf("%lx\n", (unsigned long)memory);
	fflush(stdout);
	while (time(NULL) < end)
		run(10000000);
	return 0;
}
