/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vm_sources.h"
#include "lib/hash.h"
#include "lib/root.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "lib/worker.h"
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
};

void vm_sources_init(struct vm_sources *s)
{
	*s = (struct vm_sources){0};
	table_init(&s->by_path);
}

void vm_sources_release(struct vm_sources *s)
{
	for (size_t i = 0; i < s->nr; i++)
		definitions_release(&s->files[i].functions);
	free(s->files);
	table_release(&s->by_path);
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

/* ---- reading it ---- */

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

/* Adds the file that is open as FD. Returns its index + 1. */
static uint32_t add_file(struct vm_sources *s, const struct vm *vm, int fd, const struct stat *st)
{
	struct source_scan reading = {vm, fd};
	struct worker w = {.prepare = prepare,
		.work = work_read,
		.arg = &reading,
		.no_files = true,
		.output = STRBUF_INIT};

	workers_run(&w, 1, SECONDS);
	ALLOC_GROW(s->files, s->nr, s->alloc);
	s->files[s->nr] =
		(struct vm_source_file){st->st_dev, st->st_ino, st->st_ctim, DEFINITIONS_INIT};
	if (w.end == WORKER_DONE)
		definitions_read(&s->files[s->nr].functions, w.output.buf, w.output.len);
	strbuf_release(&w.output);
	return (uint32_t)++s->nr;
}

static uint32_t find_file(const struct vm_sources *s, const struct stat *st)
{
	for (uint32_t i = 0; i < s->nr; i++)
		if (s->files[i].inode == st->st_ino && s->files[i].device == st->st_dev &&
			ns_of(&s->files[i].changed) == ns_of(&st->st_ctim))
			return i + 1;
	return 0;
}

static uint32_t look(struct vm_sources *s, const struct vm *vm, uint32_t pid, const char *path)
{
	int fd = s->nr < FILES_MAX ? open_source(pid, path) : -1;
	struct stat st;
	uint32_t file = 0;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && is_older(&st, pid)) {
		file = find_file(s, &st);
		if (!file)
			file = add_file(s, vm, fd, &st);
	}
	close(fd);
	return file;
}

const struct definitions *vm_sources_get(
	struct vm_sources *s, const struct vm *vm, uint32_t pid, uint32_t image, const char *path)
{
	bool is_new;
	uint32_t *at = table_put(&s->by_path, hash_bytes(path, strlen(path)), image, &is_new);

	if (is_new)
		*at = look(s, vm, pid, path);
	return *at ? &s->files[*at - 1].functions : NULL;
}
