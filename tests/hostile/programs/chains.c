/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains DEPTH: after SIGUSR1, starts DEPTH generations of processes. Each generation forks the
 * next one, which executes this program again, and ends at once. The last one prints "last" and
 * works in last_work as long as the first process exists, for some minutes at most.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void nothing(int sig)
{
	(void)sig;
}

__attribute__((noinline)) static void last_work(pid_t first)
{
	volatile unsigned long spins = 0;

	while (!kill(first, 0))
		for (int i = 0; i < 1000000; i++)
			spins++;
}

/* Runs generation DEPTH, which is counted down. */
static void next(const char *program, long depth, long first)
{
	char texts[2][24];

	if (!depth) {
		puts("last");
		fflush(stdout);
		last_work((pid_t)first);
		_exit(0);
	}
	if (fork())
		_exit(0);
	snprintf(texts[0], sizeof(texts[0]), "%ld", depth - 1);
	snprintf(texts[1], sizeof(texts[1]), "%ld", first);
	execl(program, program, texts[0], texts[1], (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 64;
	if (argc > 2)
		next(argv[0], atol(argv[1]), atol(argv[2]));
	alarm(300);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGUSR1, nothing);
	puts("ready");
	fflush(stdout);
	pause();
	if (!fork())
		next(argv[0], atol(argv[1]), (long)getppid());
	for (;;)
		pause();
}
