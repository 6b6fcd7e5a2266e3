/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfod_open.h"
#include "debuginfod.h"
#include "lib/untrusted/file.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fetches the file in the child process and writes its path to the pipe TO. */
static __attribute__((noreturn)) void fetch(const char *build_id, const char *name, int to)
{
	struct debuginfod_file file = {
		.build_id = build_id, .name = name, .kind = DEBUGINFOD_DEBUGINFO};
	struct strbuf notes = STRBUF_INIT;

	if (!debuginfod_has_servers() || user_drop_privileges(&notes))
		_exit(EXIT_FAILURE);
	debuginfod_fetch(&file, 1, &(struct debuginfod_options){0}, &notes);
	program_say_lines(&notes);
	if (!file.path || write(to, file.path, strlen(file.path)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

/* Reads a path up to the end of the pipe. Returns false if it is empty or too long. */
static bool read_path(int from, char *path, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size &&
		((n = read(from, path + len, size - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	if (!len || len == size)
		return false;
	path[len] = '\0';
	return true;
}

int debuginfod_open_as_user(const char *build_id, const char *name)
{
	char path[PATH_MAX];
	int pair[2], status;
	bool came;

	if (pipe2(pair, O_CLOEXEC))
		return -1;
	pid_t pid = fork();

	if (!pid) {
		close(pair[0]);
		fetch(build_id, name, pair[1]);
	}
	close(pair[1]);
	came = pid > 0 && read_path(pair[0], path, sizeof(path));
	close(pair[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return came ? file_open_at(AT_FDCWD, path, O_NOFOLLOW) : -1;
}
