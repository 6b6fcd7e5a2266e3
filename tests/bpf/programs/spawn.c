/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn N: starts N children by vfork, and N threads, one after the other, which end at once. */
#include "case.h"

#include <pthread.h>
#include <sys/wait.h>

static void *end(void *arg)
{
	return arg;
}

static NOINLINE int by_vfork(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	return waitpid(child, NULL, 0) == child;
}

static NOINLINE int by_thread(void)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, end, NULL) && !pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	for (int left = argc > 1 ? atoi(argv[1]) : 0; left > 0; left--)
		if (!by_vfork() || !by_thread())
			return 2;
	return 0;
}
