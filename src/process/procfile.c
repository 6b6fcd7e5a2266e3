/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfile.h"
#include "lib/root.h"
#include "lib/untrusted/file.h"
#include "lib/user.h"
#include "lib/util.h"
#include "reader.h"
#include "symbol/elf/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

enum {
	SPARE_FILES = 32,   /* file descriptors reserved for other purposes */
	COPY_MAX = 1 << 26, /* limit of bytes in a file that is copied */
};

/* ---- file systems that may block us ---- */

/* Returns the number of the mount that FD is on, or -1 if it is not known. */
static int mount_of(int fd)
{
	char path[64], line[128];
	int mount = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *in = fopen(path, "re");

	while (in && mount < 0 && fgets(line, sizeof(line), in))
		sscanf(line, "mnt_id: %d", &mount);
	if (in)
		fclose(in);
	return mount;
}

/*
 * Returns the user who mounted a FUSE file system, from its line of mountinfo, or root if the
 * server is in the kernel.
 */
static uint32_t owner_of(const char *line)
{
	const char *options = strstr(line, " - "),
		   *user = options ? strstr(options, "user_id=") : NULL;
	unsigned owner = 0;

	return user && sscanf(user, "user_id=%u", &owner) != 1 ? UINT32_MAX : owner;
}

/* Returns true if root or our own user serves the mount, which process PID sees. */
static bool is_served_by_us(uint32_t pid, int mount)
{
	char path[64], *line = NULL;
	uint32_t owner = UINT32_MAX;
	size_t alloc = 0;
	int number;

	snprintf(path, sizeof(path), "/proc/%u/mountinfo", pid);
	FILE *in = fopen(path, "re");

	while (in && owner == UINT32_MAX && getline(&line, &alloc, in) > 0)
		if (sscanf(line, "%d", &number) == 1 && number == mount)
			owner = owner_of(line);
	free(line);
	if (in)
		fclose(in);
	return !owner || owner == geteuid();
}

/* A process in another user namespace may have mounted any file system. */
static bool has_other_users(uint32_t pid)
{
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/user", pid);
	return stat("/proc/self/ns/user", &own) || stat(path, &its) || own.st_ino != its.st_ino;
}

static bool may_wait(uint32_t pid, int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	if (fs.f_type == FUSE_SUPER_MAGIC)
		return has_other_users(pid) || !is_served_by_us(pid, mount_of(fd));
	return fs.f_type == OVERLAYFS_SUPER_MAGIC && has_other_users(pid);
}

static bool fill_copy(int copy, int fd, const struct stat *st)
{
	off_t at = 0;

	if (st->st_size > COPY_MAX)
		return false;
	while (at < st->st_size)
		if (sendfile(copy, fd, &at, (size_t)(st->st_size - at)) <= 0)
			return false;
	return true;
}

/* Gives the copy to the owner of the file, because the owner decides how far it is trusted. */
static bool belongs_to(int copy, uid_t uid)
{
	return uid == geteuid() || !fchown(copy, uid, -1);
}

static int copy_of(int fd)
{
	int copy = memfd_create("copy", MFD_CLOEXEC);
	struct stat st;

	if (copy >= 0 && !fstat(fd, &st) && belongs_to(copy, st.st_uid) && fill_copy(copy, fd, &st))
		return copy;
	if (copy >= 0)
		close(copy);
	return -1;
}

/* ---- files that root may not open, but their user may: FUSE, NFS ---- */

/* Runs in a child of READER: fills COPY as the user of PROCESS, the stat of its folder in /proc. */
static bool fill_as_user(int copy, int path_fd, const struct stat *process, pid_t reader)
{
	struct stat st;

	if (!user_become(process->st_uid, process->st_gid) ||
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != reader)
		return false;
	int fd = file_reopen(path_fd);

	return fd >= 0 && !fstat(fd, &st) && fill_copy(copy, fd, &st);
}

/*
 * Returns a copy of the file PATH_FD, which the user of process PID may read, or -1 and EACCES.
 * That user may stop the child; the reader then does not answer in time.
 */
static int copy_as_user(uint32_t pid, int path_fd)
{
	int copy = memfd_create("copy", MFD_CLOEXEC), status = -1;
	struct stat process;
	char path[32];
	pid_t reader = getpid(), child = -1;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (copy >= 0 && !geteuid() && !stat(path, &process) && process.st_uid)
		child = fork();
	if (!child)
		_exit(!fill_as_user(copy, path_fd, &process, reader));
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!status && belongs_to(copy, process.st_uid))
		return copy;
	if (copy >= 0)
		close(copy);
	errno = EACCES;
	return -1;
}

int procfile_detach(uint32_t pid, int fd)
{
	if (fd < 0 || !may_wait(pid, fd))
		return fd;
	int copy = copy_of(fd);

	close(fd);
	return copy;
}

/* ---- work of the reader ---- */

struct open_request {
	uint32_t pid;
	uint64_t start, end, dev, inode;
	bool mapped; /* the mapped file, not the file at the path in our own root */
	/* Results. other is set if another file is at the path in our own root. */
	bool found, denied, other;
	char path[PATH_MAX];
};

static bool is_file(const struct open_request *r, const struct stat *st)
{
	return !r->inode ||
	       (st->st_ino == r->inode &&
		       (st->st_dev == r->dev ||
			       !major(st->st_dev))); /* overlayfs and btrfs report another device */
}

/*
 * Returns false on overlayfs, whose files may have other numbers in mappings, and on FUSE, where
 * numbers may change.
 */
static bool has_true_numbers(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type != OVERLAYFS_SUPER_MAGIC &&
	       fs.f_type != FUSE_SUPER_MAGIC;
}

/*
 * Opens PATH with O_PATH if it is the file. Sets *OTHER, unless OTHER is NULL, if it is certainly
 * another file.
 */
static int open_if_same(
	const struct open_request *r, const char *root, const char *path, bool *other)
{
	int fd = root_open(root, path, O_PATH);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && is_file(r, &st)))
		return fd;
	if (other)
		*other = has_true_numbers(fd);
	close(fd);
	return -1;
}

/* Returns true if LINK, /proc/PID/exe, points to the path. */
static bool is_program(const struct open_request *r, const char *link)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));

	return n > 0 && (size_t)n == strlen(r->path) && !memcmp(target, r->path, (size_t)n);
}

/* Uses the first way that works. The later ones need fewer capabilities, but find fewer files. */
static int open_mapped(const struct open_request *r)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, r->pid, r->start,
		r->end);
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/exe", r->pid);
	if (is_program(r, path) && (fd = open_if_same(r, "", path, NULL)) >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root", r->pid);
	return open_if_same(r, path, r->path, NULL);
}

static int open_for_reading(uint32_t pid, int path_fd)
{
	int fd = file_reopen(fcntl(path_fd, F_DUPFD_CLOEXEC, 0));

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = copy_as_user(pid, path_fd);
	close(path_fd);
	return fd;
}

static int work_open(void *room, int passed)
{
	struct open_request *r = room;
	int fd = r->mapped ? open_mapped(r) : open_if_same(r, "", r->path, &r->other);

	(void)passed;
	r->found = fd >= 0;
	if (r->found)
		fd = procfile_detach(r->pid, open_for_reading(r->pid, fd));
	r->denied = fd < 0;
	return fd;
}

/* ---- for the recorder ---- */

static struct elffile *open_as(struct procfile *f, bool mapped, bool *found)
{
	struct open_request *r = reader_room();
	int fd = -1;

	*found = false;
	if (!r || strlen(f->path) >= sizeof(r->path))
		return NULL;
	r->pid = f->pid;
	r->start = f->start;
	r->end = f->end;
	r->dev = f->dev;
	r->inode = f->inode;
	r->mapped = mapped;
	r->other = false;
	strcpy(r->path, f->path);
	if (!reader_run(f->pid, work_open, &fd)) {
		f->gap = CUT_SILENT;
		return NULL;
	}
	*found = r->found;
	f->gap = r->denied ? CUT_DENIED : CUT_NOT_ELF;
	f->other |= r->other;
	if (fd + SPARE_FILES >= sysconf(_SC_OPEN_MAX)) {
		close(fd);
		return NULL;
	}
	return fd < 0 ? NULL : elffile_open_fd(fd, NULL);
}

struct elffile *procfile_open(struct procfile *f, bool *differs)
{
	bool found;
	struct elffile *elf = open_as(f, false, &found);

	*differs = !found;
	return elf;
}

struct elffile *procfile_open_mapped(struct procfile *f)
{
	bool found;

	return open_as(f, true, &found);
}
