/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jitmap.h"
#include "lib/util.h"
#include "task.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct jitmap {
	int tmp; /* the folder, which keeps its mount from going */
	int file;
	uint32_t number; /* of the process in its innermost pid namespace */
	uint32_t user;   /* by whose rights it runs, as we see it */
	time_t began;
};

/* /tmp of the process. A link in its file system never leads to a file of ours. */
static int open_tmp(uint32_t pid)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -1;
	int tmp = (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));

	if (tmp < 0) /* before Linux 5.6 */
		tmp = openat(root, "tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(root);
	return tmp;
}

/* Takes number and user out of /proc/PID/status; false: it cannot be read. */
static bool read_status(struct jitmap *j, uint32_t pid)
{
	char path[64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof(line), in)) {
		const char *last = strrchr(line, '\t');

		if (sscanf(line, "Uid: %*u %u", &j->user) == 1)
			found = true;
		else if (!strncmp(line, "NSpid:", 6) && last)
			sscanf(last, "%u", &j->number);
	}
	if (in)
		fclose(in);
	return found;
}

/* Seconds since the epoch at which a process began, from ticks since boot. */
static time_t start_time(uint64_t ticks)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return time(NULL) - boot.tv_sec + (time_t)(ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

struct jitmap *jitmap_new(uint32_t pid)
{
	struct jitmap j = {.tmp = open_tmp(pid), .file = -1, .number = pid};

	if (j.tmp < 0)
		return NULL;
	if (!read_status(&j, pid)) {
		close(j.tmp);
		return NULL;
	}
	j.began = start_time(task_start(pid, pid));
	struct jitmap *new = xmalloc(sizeof(*new));

	*new = j;
	jitmap_open(new);
	return new;
}

void jitmap_free(struct jitmap *j)
{
	if (!j)
		return;
	close(j->tmp);
	if (j->file >= 0)
		close(j->file);
	free(j);
}

static bool is_its_own(const struct jitmap *j, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == j->user &&
	       st.st_mtime + 1 >= j->began; /* clocks of files and processes are rounded */
}

void jitmap_open(struct jitmap *j)
{
	char name[32];

	snprintf(name, sizeof(name), "perf-%u.map", j->number);
	int fd = openat(j->tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!is_its_own(j, fd)) {
		close(fd);
		return;
	}
	if (j->file >= 0)
		close(j->file);
	j->file = fd;
}

int jitmap_take(struct jitmap *j)
{
	int fd = j->file;

	j->file = -1;
	return fd;
}
