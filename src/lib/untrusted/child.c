/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { DYING_MAX = 64 };

static const int64_t patience_ns = 1000000000, busy_ns = 20000000000, ending_ns = 100000000;
static const int64_t first_pause_ns = 20000, longest_pause_ns = 10000000;

/* Children that were killed, but may not be dead yet. */
static pid_t dying[DYING_MAX];
static size_t nr_dying;

static uint64_t nr_signalled;
static int last_signal;

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

/*
 * Returns true if a child does not raise SIG itself, by bad instructions or at a limit of the
 * sandbox.
 */
static bool is_from_outside(int sig)
{
	static const int own[] = {
		SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGXCPU};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (sig == own[i])
			return false;
	return true;
}

/*
 * Returns true if the child is in one of STATES, as in waitid(2), which INFO then describes, or if
 * it is not our child any more. It can still be waited for.
 */
static bool look(pid_t pid, int states, siginfo_t *info)
{
	*info = (siginfo_t){0};
	return waitid(P_PID, (id_t)pid, info, states | WNOHANG | WNOWAIT) || info->si_pid;
}

/* Returns the signal from outside that has stopped or killed the child, or 0 if there is none. */
static int signal_of(pid_t pid)
{
	siginfo_t info;

	if (!look(pid, WEXITED | WSTOPPED, &info) || info.si_code == CLD_EXITED ||
		!is_from_outside(info.si_status))
		return 0;
	return info.si_status;
}

bool child_is_signalled(pid_t pid)
{
	return signal_of(pid) != 0;
}

static void count_signal(pid_t pid)
{
	int sig = signal_of(pid);

	if (!sig)
		return;
	nr_signalled++;
	last_signal = sig;
}

bool child_note_signals(struct strbuf *notes)
{
	if (!nr_signalled)
		return false;
	strbuf_addf(notes,
		"%" PRIu64 " helper process%s stopped or killed from outside, by another process "
		"or for lack of memory (the last signal: %s): stacks or names may be missing; see "
		"flametap-security(7)\n",
		nr_signalled, nr_signalled > 1 ? "es were" : " was", strsignal(last_signal));
	return true;
}

static void abandon(pid_t pid)
{
	kill(pid, SIGKILL);
	reap_dying();
	if (nr_dying < DYING_MAX)
		dying[nr_dying++] = pid;
}

void child_abandon(pid_t pid)
{
	count_signal(pid);
	abandon(pid);
}

/*
 * Returns true if the child has waited for so long, and not for a processor, that it may wait for
 * ever.
 */
static bool is_stuck(pid_t pid, int64_t waited_ns, int64_t most_ns)
{
	return waited_ns > busy_ns || (waited_ns > most_ns && child_state(pid) != 'R');
}

/* Waits for the end of the child. Returns false if it is stuck. */
static bool wait_for_end(pid_t pid, int64_t most_ns)
{
	int64_t began_ns = monotonic_ns(), pause_ns = first_pause_ns;
	siginfo_t info;

	while (!look(pid, WEXITED, &info)) {
		if (is_stuck(pid, monotonic_ns() - began_ns, most_ns))
			return false;
		nanosleep(&(struct timespec){0, pause_ns}, NULL);
		if (pause_ns < longest_pause_ns)
			pause_ns *= 2;
	}
	return true;
}

bool child_end(pid_t pid, int *status)
{
	count_signal(pid);
	kill(pid, SIGKILL);
	if (wait_for_end(pid, patience_ns) && waitpid(pid, status, WNOHANG) == pid)
		return true;
	abandon(pid);
	return false;
}

void child_await(pid_t pid)
{
	wait_for_end(pid, ending_ns);
}
