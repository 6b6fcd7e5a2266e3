/* SPDX-License-Identifier: GPL-2.0-or-later */
/* relay MS: works for MS of CPU time, then forks a process that executes this program again, and
 * ends. This goes on for two minutes, or until there is a file "stop" in the current directory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void work(long ms)
{
	while (clock() * 1000 / CLOCKS_PER_SEC < ms)
		;
}

int main(int argc, char **argv)
{
	char until[24];

	if (argc < 2)
		return 1;
	snprintf(until, sizeof(until), "%ld", argc > 2 ? atol(argv[2]) : (long)time(NULL) + 120);
	work(atol(argv[1]));
	if (time(NULL) < atol(until) && access("stop", F_OK) && !fork())
		execl(argv[0], argv[0], argv[1], until, (char *)NULL);
	return 0;
}
