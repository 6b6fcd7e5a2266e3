/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hugify SECONDS: moves its code to anonymous memory at the same address, as programs do to get
 * huge pages. */
#include "case.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

extern const char etext[];

__asm__(".text\n\t.fill 65536, 1, 0x90");

static NOINLINE void moved(void)
{
	spin();
	NO_TAIL_CALL;
}

/* Moves the pages from the first function to the last one. */
static int move_code(void)
{
	char *start = (char *)((uintptr_t)etext & -(uintptr_t)PAGE) - 65536;
	size_t size = (size_t)(etext - start + PAGE - 1) & -(size_t)PAGE;
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return -1;
	memcpy(copy, start, size);
	if (mprotect(copy, size, PROT_READ | PROT_EXEC))
		return -1;
	return mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) == start ? 0 : -1;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	if (move_code())
		return 2;
	moved();
	return 0;
}
