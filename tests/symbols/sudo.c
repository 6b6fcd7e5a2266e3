/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sudo COMMAND…: a process named sudo, started in the environment of user $AS, that runs COMMAND in
 * a clean environment from a second process of the same name, as sudo does. Needs root, because it
 * acquires no rights.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void run(char **argv, const char *as)
{
	pid_t pid = fork();

	if (pid)
		exit(wait_for(pid));
	clearenv();
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("SUDO_UID", as, 1);
	setenv("SUDO_GID", as, 1);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	_exit(127);
}

int main(int argc, char **argv)
{
	const char *as = getenv("AS");
	pid_t pid = argc > 1 && as ? fork() : -1;

	if (!pid)
		run(argv, as);
	return pid > 0 ? wait_for(pid) : 64;
}
