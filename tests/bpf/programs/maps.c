/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps [SECONDS [NUMBER]]: spins with NUMBER (default 3,000) executable mappings of its own. */
#include "case.h"

#include <sys/mman.h>

static NOINLINE void among(int number)
{
	long page = sysconf(_SC_PAGESIZE);
	char *room = mmap(
		NULL, (size_t)(2 * number * page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		_exit(2);
	for (int i = 0; i < number; i++)
		if (mprotect(room + 2 * i * page, (size_t)page, PROT_READ | PROT_EXEC))
			_exit(2);
	spin();
	NO_TAIL_CALL;
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	among(argc > 2 ? atoi(argv[2]) : 3000);
	return 0;
}
