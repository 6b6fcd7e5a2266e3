/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privileged PROGRAM: works in open_work, executes PROGRAM, a copy of this program with the setuid
 * bit, for some time, and repeats this for some minutes at most; prints its PID first. Without
 * arguments it is that copy and works in secret_work; it exits with 3 if it did not become another
 * user.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void open_work(double until)
{
	while (cpu_seconds() < until)
		;
}

static volatile unsigned long secrets;

__attribute__((noinline)) static void secret_work(double until)
{
	while (cpu_seconds() < until)
		for (int i = 0; i < 100000; i++)
			secrets++;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2) {
		secret_work(0.1);
		return geteuid() == getuid() ? 3 : 0;
	}
	alarm(300);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;) {
		open_work(cpu_seconds() + 0.05);
		pid_t pid = fork();

		if (!pid) {
			execl(argv[1], argv[1], (char *)NULL);
			_exit(1);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			printf("status %d\n", WEXITSTATUS(status));
			return 1;
		}
	}
}
