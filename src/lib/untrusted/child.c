/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child.h"
#include "lib/util.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { DYING_MAX = 64 };

static const int64_t patience_ns = 1000000000, busy_ns = 20000000000;
static const int64_t first_pause_ns = 20000, longest_pause_ns = 10000000;

/* Killed, but perhaps not dead yet. */
static pid_t dying[DYING_MAX];
static size_t nr_dying;

char child_state(pid_t pid)
{
	char path[64], line[128];
	const char *end = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *in = fopen(path, "re");

	if (!in)
		return 0;
	if (fgets(line, sizeof(line), in))
		end = strrchr(line, ')');
	fclose(in);
	return end && end[1] == ' ' ? end[2] : 0;
}

int64_t child_cpu_ns(pid_t pid)
{
	struct timespec time = {0};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void reap_dying(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr_dying; i++)
		if (!waitpid(dying[i], NULL, WNOHANG))
			dying[kept++] = dying[i];
	nr_dying = kept;
}

void child_abandon(pid_t pid)
{
	kill(pid, SIGKILL);
	reap_dying();
	if (nr_dying < DYING_MAX)
		dying[nr_dying++] = pid;
}

/* One that has waited for so long, but not for a processor, waits for what may never come. */
static bool is_stuck(pid_t pid, int64_t waited_ns)
{
	return waited_ns > busy_ns || (waited_ns > patience_ns && child_state(pid) != 'R');
}

bool child_end(pid_t pid, int *status)
{
	int64_t began_ns = monotonic_ns(), pause_ns = first_pause_ns;

	kill(pid, SIGKILL);
	for (;;) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid)
			return true;
		if ((ended < 0 && errno != EINTR) || is_stuck(pid, monotonic_ns() - began_ns))
			break;
		nanosleep(&(struct timespec){0, pause_ns}, NULL);
		if (pause_ns < longest_pause_ns)
			pause_ns *= 2;
	}
	child_abandon(pid);
	return false;
}
