/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfile.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { SPARE_FILES = 32 }; /* descriptors reserved for other purposes */

bool procfile_differs(const char *path, uint64_t dev, uint64_t inode)
{
	struct stat st;

	if (path[0] != '/')
		return false;
	return stat(path, &st) || st.st_ino != inode ||
	       (st.st_dev != dev &&
		       major(st.st_dev) != 0); /* overlayfs and btrfs report another device */
}

/* access(2) ignores the capabilities of users other than root. */
static bool can_follow(const char *link)
{
	int fd = open(link, O_PATH | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* True if LINK, /proc/PID/exe, points to PATH, and to INODE if that is known. */
static bool is_program(const char *link, const char *path, uint64_t inode)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));
	struct stat st;

	return n > 0 && (size_t)n == strlen(path) && !memcmp(target, path, (size_t)n) &&
	       !stat(link, &st) && (!inode || st.st_ino == inode);
}

/* Uses the first path that works: the later ones need fewer capabilities, but find less. */
char *procfile_path(uint32_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode)
{
	char *direct = xasprintf("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);

	if (can_follow(direct))
		return direct;
	free(direct);
	char *program = xasprintf("/proc/%u/exe", pid);

	if (is_program(program, path, inode))
		return program;
	free(program);
	return xasprintf("/proc/%u/root%s", pid, path);
}

struct elffile *procfile_open(const char *path)
{
	struct elffile *elf = elffile_open(path, NULL);

	if (elf && elffile_fd(elf) + SPARE_FILES >= sysconf(_SC_OPEN_MAX)) {
		elffile_close(elf);
		return NULL;
	}
	return elf;
}
