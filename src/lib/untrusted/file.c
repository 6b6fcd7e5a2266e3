/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_regular(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return false;
	errno = ENXIO;
	return S_ISREG(st->st_mode);
}

/* Opens the file PATH_FD itself, wherever its name leads by now. */
static int open_again(int path_fd)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	return open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Opens PATH again, without /proc, if it is still the file ST. */
static int open_same(int dir, const char *path, int flags, const struct stat *st)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat now;

	if (fd < 0 || (!fstat(fd, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino))
		return fd;
	close(fd);
	errno = ENXIO;
	return -1;
}

static void close_keep_errno(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

int file_open_at(int dir, const char *path, int flags)
{
	int path_fd = openat(dir, path, O_PATH | O_CLOEXEC | flags), fd = -1;
	struct stat st;

	if (path_fd < 0)
		return -1;
	if (is_regular(path_fd, &st)) {
		fd = open_again(path_fd);
		if (fd < 0 && errno == ENOENT)
			fd = open_same(dir, path, flags, &st);
	}
	close_keep_errno(path_fd);
	return fd;
}

int file_open(const char *path)
{
	return file_open_at(AT_FDCWD, path, 0);
}

int file_reopen(int path_fd)
{
	struct stat st;
	int fd = is_regular(path_fd, &st) ? open_again(path_fd) : -1;

	close_keep_errno(path_fd);
	return fd;
}
