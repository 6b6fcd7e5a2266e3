/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "root.h"
#include "lib/untrusted/file.h"
#include "strbuf.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

int root_open(const char *root, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	if (!*root)
		return open(path, flags | O_CLOEXEC);
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -1;
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = openat(dir, path + 1, flags | O_CLOEXEC);
	close(dir);
	return fd;
}

bool root_stat(const char *root, const char *path, struct stat *st)
{
	int fd = root_open(root, path, O_PATH);

	if (fd < 0)
		return false;
	bool ok = !fstat(fd, st);

	close(fd);
	return ok;
}

bool root_exists(const char *root, const char *path)
{
	struct stat st;

	return root_stat(root, path, &st);
}

int root_read(const char *root, const char *path, struct strbuf *content)
{
	char buf[1 << 14];
	int n = 0;
	int below = root_open(root, path, O_PATH);
	int fd = below < 0 ? -1 : file_reopen(below);

	if (fd < 0)
		return -1;
	gzFile file = gzdopen(fd, "r");

	if (!file) {
		close(fd);
		return -1;
	}
	for (size_t left = ROOT_READ_MAX; left; left -= (size_t)n) {
		n = gzread(file, buf, (unsigned)(left < sizeof(buf) ? left : sizeof(buf)));
		if (n <= 0)
			break;
		strbuf_add(content, buf, (size_t)n);
	}
	gzclose(file);
	return n < 0 ? -1 : 0;
}

char *root_find(const char *root, const char *program)
{
	const char *dirs = getenv("PATH");
	struct stat st;

	for (dirs = dirs ? dirs : "/usr/bin:/bin"; *dirs; dirs += *dirs == ':') {
		size_t n = strcspn(dirs, ":");
		char *path = xasprintf("%.*s/%s", (int)n, dirs, program);

		if (*path == '/' && root_stat(root, path, &st) && S_ISREG(st.st_mode) &&
			st.st_mode & 0111)
			return path;
		free(path);
		dirs += n;
	}
	return NULL;
}

/*
 * Returns the path of PATH in our own root, with all symlinks resolved, or NULL if it is not found.
 */
static char *real_path(const char *root, const char *path)
{
	int fd = root_open(root, path, O_PATH);

	if (fd < 0)
		return NULL;
	char *link = xasprintf("/proc/self/fd/%d", fd);
	char *real = realpath(link, NULL);

	free(link);
	close(fd);
	return real;
}

static void run(const char *path, const char *program, const char *option, int out)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(ROOT_RUN_SECONDS); /* it may have closed its output and still run */
	setenv("LC_ALL", "C", 1);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(null, 2) >= 0)
		execl(path, program, option, NULL);
	_exit(127);
}

/* Reads FD to its end. Returns false after a timeout or an error, or if there is too much. */
static bool take_output(int fd, struct strbuf *output)
{
	int64_t end = monotonic_ns() + ROOT_RUN_SECONDS * 1000000000LL, left;
	struct pollfd waiting = {.fd = fd, .events = POLLIN};
	size_t taken = 0;
	char buf[4096];

	while ((left = (end - monotonic_ns()) / 1000000) > 0 && taken < ROOT_OUTPUT_MAX) {
		if (poll(&waiting, 1, (int)left) < 0 && errno != EINTR)
			return false;
		if (!waiting.revents)
			continue;
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n <= 0)
			return n == 0;
		strbuf_add(output, buf, (size_t)n);
		taken += (size_t)n;
	}
	return false;
}

int root_run(const char *root, const char *program, const char *option, struct strbuf *output)
{
	int out[2], status = -1;
	char *path = real_path(root, program);

	if (!path || pipe2(out, O_CLOEXEC)) {
		free(path);
		return -1;
	}
	fflush(NULL);
	pid_t pid = fork();

	if (!pid)
		run(path, program, option, out[1]);
	free(path);
	close(out[1]);
	bool ended = pid > 0 && take_output(out[0], output);

	close(out[0]);
	if (pid > 0) {
		if (!ended) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
		}
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	return ended && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}
