/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exits MS: starts children that exit at once, one after the other, until all of them have used MS
 * of CPU time; prints how much that was. Half of it is the kernel's work of creating and ending
 * processes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long used_ms(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000 +
	       (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

int main(int argc, char **argv)
{
	long used = 0, max = argc == 2 ? atol(argv[1]) : 0;

	alarm(600);
	while (used < max) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
		used = used_ms(RUSAGE_SELF) + used_ms(RUSAGE_CHILDREN);
	}
	printf("%ld\n", used);
	return 0;
}
