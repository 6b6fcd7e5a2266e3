/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet_program.h"
#include "lib/util.h"
#include "model/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "bt-fleet"

extern char **environ;

bool fleet_program_takes(const char *path)
{
	return !strncmp(path, "clickhouse", strlen("clickhouse")) && strstr(path, "://");
}

/* Returns the path of bt-fleet, beside this program, or its name. The caller frees it. */
static char *program_path(void)
{
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	char *path = slash ? xasprintf("%.*s/" NAME, (int)(slash - own), own) : xstrdup(NAME);

	if (!access(path, X_OK))
		return path;
	free(path);
	return xstrdup(NAME);
}

/*
 * Runs bt-fleet with ARGV, whose first word is set, and this end of a pipe as its file TO. Returns
 * the process, or -1 with a message.
 */
static pid_t run(char **argv, int end, int to, struct strbuf *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid = -1;

	argv[0] = program_path();
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, end, to);
	posix_spawnattr_init(&attributes);
	if (to == STDIN_FILENO)
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);

	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(argv[0]);
	if (!error)
		return pid;
	return fail(err, "cannot run " NAME ": %s%s\n", strerror(error),
		error == ENOENT ? "; install flametap-fleet" : "");
}

/* Runs bt-fleet with an end of a pipe as its file TO. Returns the other end, or -1. */
static int run_with_pipe(char **argv, int to, pid_t *pid, struct strbuf *err)
{
	bool reads = to == STDIN_FILENO;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return fail(err, "cannot run " NAME ": %s\n", strerror(errno));
	*pid = run(argv, fds[!reads], to, err);
	close(fds[!reads]);
	if (*pid >= 0)
		return fds[reads];
	close(fds[reads]);
	return -1;
}

int fleet_program_start(const char *url, pid_t *pid, struct strbuf *err)
{
	char *argv[] = {NULL, (char[]){"get"}, (char *)(uintptr_t)url, NULL};

	return run_with_pipe(argv, STDOUT_FILENO, pid, err);
}

int fleet_program_send(
	const char *url, const char *folder, pid_t *pid, int *pipe, struct strbuf *err)
{
	char *argv[] = {NULL, (char[]){"send"}, (char[]){"--follow"}, (char *)(uintptr_t)url,
		(char *)(uintptr_t)folder, NULL};

	*pipe = run_with_pipe(argv, STDIN_FILENO, pid, err);
	return *pipe < 0 ? -1 : 0;
}

int fleet_program_end(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int fleet_program_store(const char *url, const struct recording *rec, struct strbuf *err)
{
	char *argv[] = {NULL, (char[]){"names"}, (char *)(uintptr_t)url, NULL};
	pid_t pid;
	int fd = run_with_pipe(argv, STDIN_FILENO, &pid, err);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return -1;
	recording_write(rec, out, NULL);
	fclose(out);
	return fleet_program_end(pid) ? -1 : 0;
}
