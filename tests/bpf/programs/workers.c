/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workers [SECONDS]: keeps two children running; each works 0.1 s and is replaced by another one.
 */
#include "case.h"

#include <sys/wait.h>
#include <time.h>

static NOINLINE void worker(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	do
		case_sink = burn_unit(case_sink);
	while (clock() < end);
}

static NOINLINE void start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(2);
	if (pid)
		return;
	worker();
	_exit(0);
}

int main(int argc, char **argv)
{
	burn_init(argc, argv);
	case_ready();
	start();
	start();
	while (!burn_over) {
		if (wait(NULL) > 0)
			start();
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
