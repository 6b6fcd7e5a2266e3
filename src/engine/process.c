/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void processes_init(struct processes *ps)
{
	*ps = (struct processes){0};
	table_init(&ps->by_pid);
}

void processes_release(struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		free(ps->list[i].maps);
		free(ps->list[i].root);
	}
	for (size_t i = 0; i < ps->nr_objects; i++) {
		elffile_close(ps->objects[i].elf);
		free(ps->objects[i].path);
		free(ps->objects[i].readable);
	}
	free(ps->list);
	free(ps->objects);
	table_release(&ps->by_pid);
	*ps = (struct processes){0};
}

/* True when what lies at PATH for us is not the file with DEV and INODE. */
static bool is_foreign(const char *path, uint64_t dev, uint64_t inode)
{
	struct stat st;

	if (path[0] != '/')
		return false;
	return stat(path, &st) || st.st_ino != inode ||
	       (st.st_dev != dev &&
		       major(st.st_dev) != 0); /* overlayfs and btrfs show another device */
}

static char *readable_path(uint32_t pid, const struct mapping *m, const char *path)
{
	char *direct = xasprintf("/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end);

	if (!access(direct, R_OK))
		return direct;
	free(direct);
	return xasprintf("/proc/%u/root%s", pid, path);
}

static size_t add_object(struct processes *ps, uint32_t pid, const struct mapping *m, uint64_t dev,
	uint64_t inode, const char *path)
{
	for (size_t i = 0; i < ps->nr_objects; i++)
		if (ps->objects[i].dev == dev && ps->objects[i].inode == inode &&
			!strcmp(ps->objects[i].path, path))
			return i;
	struct object o = {
		.dev = dev,
		.inode = inode,
		.path = xstrdup(path),
		.deleted = ends_with(path, " (deleted)"),
		.foreign = is_foreign(path, dev, inode),
	};

	if (path[0] == '/') {
		o.readable = readable_path(pid, m, path);
		o.elf = elffile_open(o.foreign ? o.readable : path, NULL);
	} else if (!strcmp(path, "[vdso]")) {
		o.elf = elffile_open_vdso();
	}
	ALLOC_GROW(ps->objects, ps->nr_objects, ps->objects_alloc);
	ps->objects[ps->nr_objects] = o;
	return ps->nr_objects++;
}

static void add_mapping(struct processes *ps, struct process *p, struct mapping *m, uint64_t dev,
	uint64_t inode, const char *path)
{
	m->object = add_object(ps, p->pid, m, dev, inode, path);
	m->generation = p->generation;
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *old = &p->maps[i];

		if (old->start == m->start && old->end == m->end && old->offset == m->offset &&
			old->object == m->object)
			return;
	}
	ALLOC_GROW(p->maps, p->nr_maps, p->maps_alloc);
	p->maps[p->nr_maps++] = *m;
}

/* PATH as the process itself sees it, which is what stap compares: maps shows it from our root. */
static const char *own_path(const struct process *p, const char *path)
{
	size_t n = strlen(p->root);

	return n && !strncmp(path, p->root, n) && path[n] == '/' ? path + n : path;
}

static char *root_of(uint32_t pid)
{
	char link[64], root[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%u/root", pid);
	ssize_t n = readlink(link, root, sizeof(root));

	return n > 1 ? xstrndup(root, (size_t)n) : xstrdup("");
}

/* One line of /proc/PID/maps: "START-END PERMS OFFSET MAJOR:MINOR INODE   PATH". */
static void take_line(struct processes *ps, struct process *p, char *line, size_t len)
{
	struct mapping m = {0};
	unsigned dev_major, dev_minor;
	uint64_t inode;
	char perms[5];
	int at = 0;
	char *text = xstrndup(line, len);

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m.start,
		    &m.end, perms, &m.offset, &dev_major, &dev_minor, &inode, &at) == 7 &&
		perms[2] == 'x' && strcmp(text + at, "[vsyscall]"))
		add_mapping(
			ps, p, &m, makedev(dev_major, dev_minor), inode, own_path(p, text + at));
	free(text);
}

int process_look(struct processes *ps, struct process *p, struct strbuf *err)
{
	char path[64];
	struct lines lines;
	char *line;
	size_t len;

	p->looked_ns = monotonic_ns();
	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, "cannot read '%s': %s", path, strerror(errno));
	p->generation++;
	lines_init(&lines, fd);
	while (lines_next(&lines, &line, &len))
		take_line(ps, p, line, len);
	int error = lines.error;

	lines_release(&lines);
	close(fd);
	return error ? fail(err, "cannot read '%s': %s", path, strerror(error)) : 0;
}

void process_look_soon(struct processes *ps, struct process *p)
{
	if (monotonic_ns() - p->looked_ns > 50000000)
		process_look(ps, p, NULL);
}

struct process *processes_get(struct processes *ps, uint32_t pid)
{
	bool is_new;
	uint32_t *at = table_put(&ps->by_pid, pid, 0, &is_new);

	if (!is_new)
		return &ps->list[*at];
	*at = (uint32_t)ps->nr;
	ALLOC_GROW(ps->list, ps->nr, ps->alloc);
	struct process *p = &ps->list[ps->nr++];

	*p = (struct process){.pid = pid, .start = task_start(pid, pid), .root = root_of(pid)};
	process_look(ps, p, NULL);
	return p;
}

const struct mapping *process_find(const struct process *p, uint64_t address)
{
	const struct mapping *found = NULL;

	for (size_t i = 0; i < p->nr_maps; i++)
		if (p->maps[i].start <= address && address < p->maps[i].end &&
			(!found || p->maps[i].generation >= found->generation))
			found = &p->maps[i];
	return found;
}

void processes_give_files(struct processes *ps, struct symbol_files *files)
{
	for (size_t i = 0; i < ps->nr_objects; i++) {
		struct object *o = &ps->objects[i];

		if (!o->elf || (!o->deleted && !o->foreign))
			continue;
		symbol_files_add(files, o->elf);
		o->elf = NULL;
	}
}
