/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forks LOOPS TOTAL CHAIN MAPPINGS: LOOPS processes fork one child after the other, TOTAL children
 * in all, or without end if TOTAL is 0. A child runs for a moment, with a chain of CHAIN
 * descendants. All processes have MAPPINGS executable mappings.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, READ_EXEC = PROT_READ | PROT_EXEC };

/* Runs for a moment, as does a chain of CHILDREN descendants. */
static void run_chain(long children)
{
	pid_t pid = 0;

	for (long i = 0; !pid && i <= children; i++) {
		for (volatile int k = 0; k < 20000; k++)
			;
		pid = i < children ? fork() : -1;
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	_exit(0);
}

static void loop(long nr, long children)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (long i = 0; !nr || i < nr; i++) {
		pid_t pid = fork();

		if (!pid)
			run_chain(children);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		else
			usleep(1000);
	}
	_exit(0);
}

/* Maps single pages that the kernel cannot merge. */
static void map(size_t nr)
{
	char *area = mmap(NULL, (nr + 1) * PAGE, READ_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < nr; i += 2)
		mprotect(area + i * PAGE, PAGE, READ_EXEC | PROT_WRITE);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 64;
	long loops = atol(argv[1]), total = atol(argv[2]), children = atol(argv[3]);

	map((size_t)atol(argv[4]));
	for (long i = 0; i < loops; i++)
		if (!fork())
			loop(total / loops, children);
	puts("forking");
	fflush(stdout);
	while (wait(NULL) > 0)
		;
	return 0;
}
