/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reuse NR FIRST SECOND: runs the files FIRST and SECOND, copies of this program, NR times in turn
 * as children that all have the same PID; prints how often they had it. Needs a PID namespace of
 * its own. A child whose file is called first or second spins in a function of that name.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 1000 };

static volatile unsigned long spins;

/* Returns the CPU time used. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void spin_first(void)
{
	for (int i = 0; i < 10000000; i++)
		spins++;
}

__attribute__((noinline)) static void spin_second(void)
{
	for (int i = 0; i < 10000000; i++)
		spins += 2;
}

static int spin(void (*function)(void))
{
	for (double began = seconds(); seconds() < began + 0.15;)
		function();
	return 0;
}

/* Gives the next process the number PID, unless another process starts first. */
static void set_next(pid_t pid)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

	if (fd < 0 || dprintf(fd, "%d", pid - 1) < 0)
		exit(1);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *name = basename(argv[0]);
	pid_t number = getpid() + 100;
	int same = 0;

	if (!strcmp(name, "first"))
		return spin(spin_first);
	if (!strcmp(name, "second"))
		return spin(spin_second);
	if (argc != 4)
		return 64;
	for (int tries = 0; same < atoi(argv[1]) && tries < TRIES; tries++) {
		char *file = argv[2 + same % 2];

		set_next(number);
		pid_t pid = fork();

		if (!pid && getpid() == number)
			execl(file, file, (char *)NULL);
		if (!pid)
			_exit(1); /* another process has got the number */
		waitpid(pid, NULL, 0);
		same += pid == number;
	}
	printf("%d of the same number\n", same);
	return 0;
}
