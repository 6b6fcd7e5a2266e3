/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_sources.h"
#include "lib/hash.h"
#include "lib/root.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "model/runtime.h"
#include "process/reader.h"
#include "process/task.h"
#include "vm.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILES_MAX = 1 << 14,
	BYTES_MAX = 1 << 22, /* of a file; a longer one is not written by hand */
	SECONDS = 2,         /* to read it */
	SECOND = 1000000000, /* ns */
	PART = 1 << 16,      /* bytes that are read at a time */
	SOON = SECOND / 50,  /* ns within which a part is read */
	SLOW_MAX = 3,        /* files that do not answer soon: no other is asked for its contents */
};

void vm_sources_init(struct vm_sources *s)
{
	*s = (struct vm_sources){0};
	table_init(&s->by_path);
	table_init(&s->by_inode);
}

void vm_sources_release(struct vm_sources *s)
{
	for (size_t i = 0; i < s->nr; i++)
		definitions_release(&s->files[i].functions);
	free(s->files);
	table_release(&s->by_path);
	table_release(&s->by_inode);
	*s = (struct vm_sources){0};
}

/* ---- opening a file ---- */

struct source_path {
	uint32_t pid;
	char path[4096];
};

/* Works in the reader, as the file system of the process may not answer. */
static int work_open(void *room, int passed)
{
	const struct source_path *r = room;
	bool absolute = r->path[0] == '/';
	struct stat st;
	char root[64];

	(void)passed;
	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/%s", r->pid, absolute ? "root" : "cwd");
	int fd = root_open(root, r->path, O_PATH);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return file_reopen(fd);
}

/* Relative paths may not leave the folder, which is the root when they are resolved. */
static bool is_below(const char *path)
{
	return *path == '/' || (strncmp(path, "../", 3) && !strstr(path, "/../"));
}

static int open_source(uint32_t pid, const char *path)
{
	struct source_path *r = reader_room();
	int fd = -1;

	if (!r || strlen(path) >= sizeof(r->path) || !is_below(path))
		return -1;
	r->pid = pid;
	strcpy(r->path, path);
	return reader_run(pid, work_open, &fd) ? fd : -1;
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return ns_of(&now);
}

/* Whether the file is older than process PID, so that the program is made of it. */
static bool is_older(const struct stat *st, uint32_t pid)
{
	uint64_t start = task_start(pid, pid);
	int64_t age = clock_ns(CLOCK_BOOTTIME) - (int64_t)(start * (SECOND / sysconf(_SC_CLK_TCK)));

	return start && ns_of(&st->st_ctim) <= clock_ns(CLOCK_REALTIME) - age + SECOND / 100;
}

/* ---- its contents ---- */

struct blob_request {
	uint32_t pid;
	char id[BLOB_ID + 1]; /* or "" */
	bool slow;
	char text[READER_ROOM / 2];
};

/*
 * Returns whether process PID may read the file, so that a recording tells no more of it than the
 * process knows. Its supplementary groups are not considered, nor is its group if the process is
 * protected from its user, because the folder in /proc is root's then.
 */
static bool may_read(uint32_t pid, const struct stat *file)
{
	uint32_t user = task_user(pid);
	struct stat folder;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	if (user == UINT32_MAX || stat(path, &folder))
		return false;
	if (!user)
		return true;
	if (user == file->st_uid)
		return file->st_mode & S_IRUSR;
	return file->st_mode &
	       (folder.st_uid == user && folder.st_gid == file->st_gid ? S_IRGRP : S_IROTH);
}

/* Works in the reader, on the file that is passed. */
static int work_blob(void *room, int fd)
{
	struct blob_request *r = room;
	size_t len = 0;
	ssize_t n = -1;
	struct stat st;

	if (fstat(fd, &st) || !may_read(r->pid, &st))
		return -1;
	while (!r->slow && len < sizeof(r->text)) {
		size_t left = sizeof(r->text) - len;
		int64_t began = clock_ns(CLOCK_MONOTONIC);

		n = read(fd, r->text + len, left < PART ? left : PART);
		r->slow = clock_ns(CLOCK_MONOTONIC) - began > SOON;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (!n)
		blob_id(r->text, len, r->id);
	return -1;
}

/* Sets the ID of the file that process PID has and that is open as FD. */
static void find_blob(struct vm_sources *s, struct vm_source_file *file, uint32_t pid, int fd)
{
	struct blob_request *r = s->slow < SLOW_MAX ? reader_room() : NULL;

	if (!r)
		return;
	r->pid = pid;
	r->id[0] = '\0';
	r->slow = false;
	if (reader_run(pid, work_blob, &fd)) {
		memcpy(file->blob, r->id, sizeof(file->blob));
		file->blob[BLOB_ID] = '\0';
		s->slow += r->slow;
	} else {
		s->slow++;
	}
}

/* ---- its functions ---- */

struct source_scan {
	const struct vm *vm;
	int fd;
};

static void work_read(void *arg, struct strbuf *output)
{
	const struct source_scan *r = arg;
	struct definitions list = DEFINITIONS_INIT;
	char *text = xcalloc(BYTES_MAX, 1);
	size_t len = 0;
	ssize_t n;

	while (len < BYTES_MAX && (n = read(r->fd, text + len, BYTES_MAX - len)) > 0)
		len += (size_t)n;
	if (len < BYTES_MAX)
		r->vm->source->list(text, len, &list);
	definitions_write(&list, output);
	definitions_release(&list);
	free(text);
}

static bool prepare(void *arg)
{
	(void)arg;
	return true;
}

static void list_functions(struct vm_source_file *file, const struct vm *vm, int fd)
{
	struct source_scan reading = {vm, fd};
	struct worker w = {.prepare = prepare,
		.work = work_read,
		.arg = &reading,
		.no_files = true,
		.output = STRBUF_INIT};

	file->listed = true;
	workers_run(&w, 1, SECONDS);
	if (w.end == WORKER_DONE)
		definitions_read(&file->functions, w.output.buf, w.output.len);
	strbuf_release(&w.output);
}

/* ---- all files ---- */

/* Returns the index + 1 of the file that process PID has and that is open as FD. */
static uint32_t add_file(struct vm_sources *s, uint32_t pid, int fd, const struct stat *st)
{
	bool is_new;
	uint32_t *at = table_put(&s->by_inode, hash_pair(st->st_dev, st->st_ino),
		(uint64_t)ns_of(&st->st_ctim), &is_new);

	if (!is_new)
		return *at;
	ALLOC_GROW(s->files, s->nr, s->alloc);
	s->files[s->nr] = (struct vm_source_file){.functions = DEFINITIONS_INIT};
	find_blob(s, &s->files[s->nr], pid, fd);
	return *at = (uint32_t)++s->nr;
}

/* Returns a value of by_path. */
static uint32_t look(struct vm_sources *s, const struct vm *vm, uint32_t pid, const char *path)
{
	int fd = s->nr < FILES_MAX && !runtime_is_text(path) ? open_source(pid, path) : -1;
	uint32_t file = 0;
	struct stat st;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st)) {
		bool older = is_older(&st, pid);

		file = add_file(s, pid, fd, &st);
		if (older && vm->source && !s->files[file - 1].listed) {
			lseek(fd, 0, SEEK_SET);
			list_functions(&s->files[file - 1], vm, fd);
		}
		file = file << 1 | older;
	}
	close(fd);
	return file;
}

/* Returns a value of by_path. A process has the files that its parent had read before. */
static uint32_t find(struct vm_sources *s, const struct vm *vm, const struct vm_source_process *p,
	const char *path)
{
	uint64_t hash = hash_text(path, strlen(path));
	const uint32_t *known = p->parent ? table_get(&s->by_path, hash, p->parent) : NULL;
	uint32_t value = known ? *known : 0;
	bool is_new;
	uint32_t *at = table_put(&s->by_path, hash, p->image, &is_new);

	if (is_new)
		*at = value ? value : look(s, vm, p->pid, path);
	return *at;
}

const struct definitions *vm_sources_functions(struct vm_sources *s, const struct vm *vm,
	const struct vm_source_process *p, const char *path)
{
	uint32_t file = find(s, vm, p, path);

	return file & 1 ? &s->files[(file >> 1) - 1].functions : NULL;
}

const char *vm_sources_blob(struct vm_sources *s, const struct vm *vm,
	const struct vm_source_process *p, const char *path, bool *late)
{
	uint32_t file = find(s, vm, p, path);

	*late = !(file & 1);
	return file && *s->files[(file >> 1) - 1].blob ? s->files[(file >> 1) - 1].blob : NULL;
}
