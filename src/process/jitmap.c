/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jitmap.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "procfile.h"
#include "reader.h"
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

enum { DUMP_MAX = 512 };

struct jitmap {
	uint32_t pid;
	int tmp; /* the directory /tmp; open, it keeps its mount alive */
	int file;
	int dump;        /* of its compiler */
	uint32_t number; /* PID of the process in its innermost PID namespace */
	uint32_t user;   /* its effective user ID in our namespace */
	time_t began;
	char dump_path[DUMP_MAX]; /* of the dump that is opened now */
};

/* Opens PATH in the root of the process. Symlinks there never lead to files outside. */
static int open_in_root(uint32_t pid, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root_path[64];

	snprintf(root_path, sizeof(root_path), "/proc/%u/root", pid);
	int root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -1;
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0) /* no openat2 before Linux 5.6 */
		fd = openat(root, path + strspn(path, "/"), flags | O_NOFOLLOW | O_CLOEXEC);
	close(root);
	return fd;
}

static int work_tmp(void *room, int passed)
{
	const struct jitmap *j = room;

	(void)passed;
	return open_in_root(j->pid, "tmp", O_PATH | O_DIRECTORY);
}

/* Reads the innermost PID and the user ID of a process. Returns false if it has ended. */
static bool read_status(struct jitmap *j, uint32_t pid)
{
	uint32_t number = task_own_number(pid, pid);

	j->user = task_user(pid);
	j->number = number ? number : pid; /* before Linux 4.1 it is not known */
	return j->user != UINT32_MAX;
}

/* Returns the start time of a process in seconds since the epoch, from ticks since boot. */
static time_t start_time(uint64_t ticks)
{
	struct timespec boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	return time(NULL) - boot.tv_sec + (time_t)(ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Has the reader open a file, because a target may be behind the file system. */
static int open_in_reader(const struct jitmap *j, reader_work *work, int passed)
{
	struct jitmap *room = reader_room();
	int fd = passed;

	if (!room)
		return -1;
	*room = *j;
	return reader_run(j->pid, work, &fd) ? fd : -1;
}

struct jitmap *jitmap_new(uint32_t pid)
{
	struct jitmap j = {.pid = pid, .file = -1, .dump = -1, .number = pid};

	j.tmp = open_in_reader(&j, work_tmp, -1);
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
	if (j->tmp >= 0)
		close(j->tmp);
	if (j->file >= 0)
		close(j->file);
	if (j->dump >= 0)
		close(j->dump);
	free(j);
}

static bool is_its_own(const struct jitmap *j, int fd, bool may_be_empty)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == j->user && (st.st_size || may_be_empty) &&
	       st.st_mtime + 1 >= j->began; /* file and process times are rounded */
}

static int work_map(void *room, int tmp)
{
	const struct jitmap *j = room;
	char name[32];

	snprintf(name, sizeof(name), "perf-%u.map", j->number);
	int fd = file_open_at(tmp, name, O_NOFOLLOW);

	if (fd >= 0 && !is_its_own(j, fd, false)) {
		close(fd);
		return -1;
	}
	return procfile_detach(j->pid, fd);
}

static int work_dump(void *room, int passed)
{
	const struct jitmap *j = room;
	int fd = open_in_root(j->pid, j->dump_path, O_PATH);

	(void)passed;
	if (fd >= 0)
		fd = file_reopen(fd);
	if (fd >= 0 && !is_its_own(j, fd, true)) { /* it is mapped before anything is written */
		close(fd);
		return -1;
	}
	return procfile_detach(j->pid, fd);
}

void jitmap_open_dump(struct jitmap *j, const char *path)
{
	if (j->dump >= 0 || strlen(path) >= sizeof(j->dump_path))
		return;
	strcpy(j->dump_path, path);
	j->dump = open_in_reader(j, work_dump, -1);
}

void jitmap_open(struct jitmap *j)
{
	int fd = open_in_reader(j, work_map, j->tmp);

	if (fd >= 0)
		jitmap_put(j, fd);
}

void jitmap_end(struct jitmap *j)
{
	jitmap_open(j);
	close(j->tmp);
	j->tmp = -1;
}

bool jitmap_found(const struct jitmap *j)
{
	return j->file >= 0 || j->dump >= 0;
}

int jitmap_tmp(const struct jitmap *j)
{
	return j->tmp;
}

void jitmap_put(struct jitmap *j, int fd)
{
	if (j->file >= 0)
		close(j->file);
	j->file = fd;
}

int jitmap_take(struct jitmap *j)
{
	int fd = j->file;

	j->file = -1;
	return fd < 0 && j->dump >= 0 ? fcntl(j->dump, F_DUPFD_CLOEXEC, 0) : fd;
}
