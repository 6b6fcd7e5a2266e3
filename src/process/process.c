/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"
#include "busy.h"
#include "jitmap.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "procfile.h"
#include "symbol/elf/elffile.h"
#include "symbol/open_files.h"
#include "task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void processes_init(struct processes *ps)
{
	*ps = (struct processes){0};
	table_init(&ps->by_pid);
	table_init(&ps->by_file);
	table_init(&ps->by_build_id);
}

static void free_object(struct object *o)
{
	elffile_close(o->elf);
	free(o->path);
	free(o->build_id);
}

void processes_release(struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++) {
		free(ps->list[i].maps);
		free(ps->list[i].root);
		jitmap_free(ps->list[i].jit);
	}
	for (size_t i = 0; i < ps->nr_objects; i++)
		free_object(&ps->objects[i]);
	free(ps->list);
	free(ps->maps);
	free(ps->objects);
	table_release(&ps->by_pid);
	table_release(&ps->by_file);
	table_release(&ps->by_build_id);
	*ps = (struct processes){0};
}

static uint32_t *object_by_build_id(
	struct processes *ps, const char *build_id, const char *path, bool *is_new)
{
	return table_put(&ps->by_build_id, hash_text(build_id, strlen(build_id)),
		hash_text(path, strlen(path)), is_new);
}

static size_t add_object(struct processes *ps, const struct object *o)
{
	bool is_new;

	ALLOC_GROW(ps->objects, ps->nr_objects, ps->objects_alloc);
	ps->objects[ps->nr_objects] = *o;
	if (*o->build_id)
		*object_by_build_id(ps, o->build_id, o->path, &is_new) = (uint32_t)ps->nr_objects;
	return ps->nr_objects++;
}

/* The number of the object that is O, but so far known only by its build-id; -1: none. */
static int64_t find_by_build_id(const struct processes *ps, const struct object *o)
{
	const uint32_t *at = table_get(&ps->by_build_id,
		hash_text(o->build_id, strlen(o->build_id)), hash_text(o->path, strlen(o->path)));

	return at && ps->objects[*at].elf && !ps->objects[*at].inode ? (int64_t)*at : -1;
}

/* Adds a file as named in /proc/PID/maps. */
static size_t object_of_file(struct processes *ps, uint32_t pid, const struct mapping *m,
	uint64_t dev, uint64_t inode, const char *path)
{
	bool is_new;
	uint32_t *at = table_put(
		&ps->by_file, hash_pair(dev, inode), hash_text(path, strlen(path)), &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)ps->nr_objects;
	struct object o = {
		.dev = dev,
		.inode = inode,
		.path = xstrdup(path),
		.deleted = ends_with(path, " (deleted)"),
	};

	if (path[0] == '/') {
		struct procfile f = {.pid = pid,
			.start = m->start,
			.end = m->end,
			.path = path,
			.dev = dev,
			.inode = inode};

		o.elf = procfile_open(&f, &o.path_differs);
		if (o.path_differs)
			o.elf = procfile_open_mapped(&f);
		o.silent = f.silent;
	} else if (!strcmp(path, "[vdso]")) {
		o.elf = elffile_open_vdso();
	}
	o.build_id = xstrdup(o.elf ? elffile_build_id(o.elf) : "");
	int64_t known = *o.build_id ? find_by_build_id(ps, &o) : -1;

	if (known < 0)
		return add_object(ps, &o);
	free_object(&o);
	ps->objects[known].dev = dev;
	ps->objects[known].inode = inode;
	return *at = (uint32_t)known;
}

/* ELF if it has BUILD_ID, else it is closed and the result is NULL. */
static struct elffile *check_build_id(struct elffile *elf, const char *build_id)
{
	if (elf && strcmp(elffile_build_id(elf), build_id)) {
		elffile_close(elf);
		return NULL;
	}
	return elf;
}

/* Adds a file whose build-id comes from the kernel's mmap event; the process may be gone by now. */
static size_t object_of_event(struct processes *ps, const struct process *p, const struct mapped *m)
{
	bool is_new;
	uint32_t *at = object_by_build_id(ps, m->build_id, m->path, &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)ps->nr_objects;
	struct object o = {
		.path = xstrdup(m->path),
		.build_id = xstrdup(m->build_id),
		.deleted = ends_with(m->path, " (deleted)"),
	};

	struct procfile f = {.pid = p->pid, .start = m->start, .end = m->end, .path = m->path};

	if (!*p->root)
		o.elf = check_build_id(procfile_open(&f, &o.path_differs), m->build_id);
	if (!o.elf) {
		o.path_differs = true;
		o.elf = check_build_id(procfile_open_mapped(&f), m->build_id);
	}
	o.silent = f.silent;
	return add_object(ps, &o);
}

static struct mapping *mapping_of(const struct processes *ps, const struct process *p, size_t i)
{
	return &ps->maps[p->maps[i]];
}

static bool is_there(const struct mapping *m)
{
	return m->to_ns == INT64_MAX;
}

static bool same_mapping(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->object == b->object && a->writable == b->writable;
}

/* The number of the current mapping that equals M; -1: none. */
static int64_t find_same(
	const struct processes *ps, const struct process *p, const struct mapping *m)
{
	for (size_t i = p->nr_maps; i--;)
		if (is_there(mapping_of(ps, p, i)) && same_mapping(mapping_of(ps, p, i), m))
			return p->maps[i];
	return -1;
}

/* Executable anonymous memory may be JIT-compiled code. */
static void find_jit(struct processes *ps, struct process *p, const struct mapping *m)
{
	if (!p->jit && is_there(m) && !ps->objects[m->object].elf)
		p->jit = jitmap_new(p->pid);
}

static void add_mapping(struct processes *ps, struct process *p, const struct mapping *m)
{
	find_jit(ps, p, m);
	ALLOC_GROW(ps->maps, ps->nr_maps, ps->maps_alloc);
	ALLOC_GROW(p->maps, p->nr_maps, p->maps_alloc);
	p->maps[p->nr_maps++] = (uint32_t)ps->nr_maps;
	ps->maps[ps->nr_maps] = *m;
	ps->maps[ps->nr_maps++].pid = p->pid;
	p->changes += is_there(m);
}

/* PATH as the process itself sees it, as stap needs it: maps shows it relative to our root. */
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

/* Parses a line of /proc/PID/maps: "START-END PERMS OFFSET MAJOR:MINOR INODE   PATH". */
static void take_line(struct processes *ps, struct process *p, int64_t now, char *line, size_t len)
{
	struct mapping m = {.generation = p->generation, .seen = p->generation, .to_ns = INT64_MAX};
	unsigned dev_major, dev_minor;
	uint64_t inode;
	char perms[5];
	int at = 0;
	char *text = xstrndup(line, len);

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m.start,
		    &m.end, perms, &m.offset, &dev_major, &dev_minor, &inode, &at) == 7 &&
		perms[2] == 'x' && strcmp(text + at, "[vsyscall]")) {
		m.writable = perms[1] == 'w';
		m.from_ns = p->generation > 1 ? p->scanned_ns : 0;
		m.by_ns = p->generation > 1 ? now : 0;
		m.object = object_of_file(ps, p->pid, &m, makedev(dev_major, dev_minor), inode,
			own_path(p, text + at));
		int64_t same = find_same(ps, p, &m);

		if (same >= 0)
			ps->maps[same].seen = p->generation;
		else
			add_mapping(ps, p, &m);
	}
	free(text);
}

static void end_mapping(struct process *p, struct mapping *m, int64_t time_ns)
{
	p->changes += is_there(m);
	m->to_ns = time_ns;
}

/* Ends the mappings that the last scan did not find. */
static void end_unseen(struct processes *ps, struct process *p, int64_t time_ns)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		struct mapping *m = mapping_of(ps, p, i);

		if (is_there(m) && m->seen != p->generation)
			end_mapping(p, m, time_ns);
	}
}

/* Reads a maps file; returns the number of lines, or -1 and ERR if it cannot be read. */
static int64_t take_maps(
	struct processes *ps, struct process *p, int64_t now, const char *path, struct strbuf *err)
{
	struct lines lines;
	int64_t taken = 0;
	char *line;
	size_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, "cannot read '%s': %s", path, strerror(errno));
	lines_init(&lines, fd);
	for (; lines_next(&lines, &line, &len); taken++)
		take_line(ps, p, now, line, len);
	int error = lines.error;

	lines_release(&lines);
	close(fd);
	return error ? fail(err, "cannot read '%s': %s", path, strerror(error)) : taken;
}

/* If the main thread has exited: reads the maps of the first other thread that has them. */
static int64_t take_threads_maps(struct processes *ps, struct process *p, int64_t now)
{
	char path[64];
	struct dirent *entry;
	int64_t taken = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", p->pid);
	DIR *dir = opendir(path);

	while (dir && taken <= 0 && (entry = readdir(dir))) {
		char *maps = xasprintf("%s/%s/maps", path, entry->d_name);

		if (entry->d_name[0] != '.')
			taken = take_maps(ps, p, now, maps, NULL);
		free(maps);
	}
	if (dir)
		closedir(dir);
	return taken;
}

int process_scan(struct processes *ps, struct process *p, struct strbuf *err)
{
	int64_t now = monotonic_ns();
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	p->generation++;
	int64_t taken = take_maps(ps, p, now, path, err);

	if (taken < 0)
		p->generation--;
	if (!taken)
		taken = take_threads_maps(ps, p, now);
	p->scanned_ns = now;
	if (taken > 0) /* the maps of a zombie are empty */
		end_unseen(ps, p, now);
	return taken < 0 ? -1 : 0;
}

void process_scan_soon(struct processes *ps, struct process *p)
{
	if (monotonic_ns() - p->scanned_ns > 50000000)
		process_scan(ps, p, NULL);
}

static struct process *add_process(struct processes *ps, uint32_t pid)
{
	bool is_new;

	*table_put(&ps->by_pid, pid, 0, &is_new) = (uint32_t)ps->nr;
	ALLOC_GROW(ps->list, ps->nr, ps->alloc);
	struct process *p = &ps->list[ps->nr++];

	*p = (struct process){.pid = pid, .start = task_start(pid, pid), .root = root_of(pid)};
	return p;
}

/* The PID was reused. */
static bool is_reused(const struct process *p)
{
	uint64_t start = p->gone ? task_start(p->pid, p->pid) : 0;

	return start && start != p->start;
}

struct process *processes_get(struct processes *ps, uint32_t pid)
{
	const uint32_t *at = table_get(&ps->by_pid, pid, 0);

	if (at && !is_reused(&ps->list[*at]))
		return &ps->list[*at];
	struct process *p = add_process(ps, pid);

	process_scan(ps, p, NULL);
	return p;
}

struct process *processes_known(struct processes *ps, uint32_t pid)
{
	const uint32_t *at = table_get(&ps->by_pid, pid, 0);

	return at && !ps->list[*at].gone ? &ps->list[*at] : NULL;
}

static bool held_at(const struct mapping *m, int64_t time_ns)
{
	return m->from_ns <= time_ns && time_ns < m->to_ns;
}

/* Anonymous memory has no offset: events have one, /proc does not. */
static bool has_offset(const struct processes *ps, const struct mapping *m)
{
	return ps->objects[m->object].path[0] == '/';
}

/*
 * Removes [START, END) from the mappings at TIME_NS; the remaining parts become new mappings. Those
 * found by a later scan were mapped again since then.
 */
static void unmap(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns)
{
	for (size_t i = 0, nr = p->nr_maps; i < nr; i++) {
		struct mapping m = *mapping_of(ps, p, i), rest = m;

		if (m.end <= start || m.start >= end || !held_at(&m, time_ns) ||
			(is_there(&m) && time_ns < p->scanned_ns))
			continue;
		end_mapping(p, mapping_of(ps, p, i), time_ns);
		rest.from_ns = rest.by_ns = time_ns;
		rest.generation = p->generation;
		if (m.start < start) {
			rest.end = start;
			add_mapping(ps, p, &rest);
		}
		if (m.end > end) {
			rest.start = end;
			rest.end = m.end;
			rest.offset = has_offset(ps, &m) ? m.offset + (end - m.start) : 0;
			add_mapping(ps, p, &rest);
		}
	}
}

static size_t object_of_mapped(struct processes *ps, const struct process *p,
	const struct mapping *m, const struct mapped *mapped)
{
	if (*mapped->build_id && mapped->path[0] == '/')
		return object_of_event(ps, p, mapped);
	return object_of_file(ps, p->pid, m, mapped->dev, mapped->inode, mapped->path);
}

void process_mapped(
	struct processes *ps, struct process *p, const struct mapped *mapped, int64_t time_ns)
{
	struct mapping m = {
		.start = mapped->start,
		.end = mapped->end,
		.offset = mapped->path[0] == '/' ? mapped->offset : 0,
		.writable = mapped->writable,
		.from_ns = time_ns,
		.by_ns = time_ns,
		.to_ns = INT64_MAX,
	};
	bool seen_since = time_ns < p->scanned_ns;

	m.object = object_of_mapped(ps, p, &m, mapped);
	int64_t same = find_same(ps, p, &m);

	if (same < 0 || seen_since)
		unmap(ps, p, m.start, m.end, time_ns);
	if (same >= 0) {
		struct mapping *known = &ps->maps[same];

		if (held_at(known, time_ns) && time_ns < known->by_ns)
			known->from_ns = known->by_ns = time_ns;
		return;
	}
	if (seen_since)
		m.to_ns = p->scanned_ns;
	m.generation = m.seen = ++p->generation;
	add_mapping(ps, p, &m);
}

void process_executed(struct processes *ps, struct process *p, int64_t time_ns)
{
	free(p->root);
	p->root = root_of(p->pid);
	p->generation++;
	unmap(ps, p, 0, UINT64_MAX, time_ns);
	jitmap_free(p->jit);
	p->jit = NULL;
	for (size_t i = 0; i < p->nr_maps; i++) /* found by a later scan */
		find_jit(ps, p, mapping_of(ps, p, i));
}

void processes_forked(struct processes *ps, uint32_t parent, uint32_t child, int64_t time_ns)
{
	struct process *p = processes_known(ps, child);

	if (p && p->generation && p->scanned_ns >= time_ns)
		return;
	if (p) /* its exit event was lost */
		process_ended(ps, p, time_ns);
	p = add_process(ps, child);
	const struct process *from = processes_known(ps, parent);

	p->generation = 1;
	for (size_t i = 0; from && i < from->nr_maps; i++) {
		struct mapping m = *mapping_of(ps, from, i);

		if (!held_at(&m, time_ns) || m.by_ns > time_ns)
			continue;
		m.from_ns = m.by_ns = time_ns;
		m.to_ns = INT64_MAX;
		m.generation = m.seen = 1;
		add_mapping(ps, p, &m);
	}
}

void process_ended(struct processes *ps, struct process *p, int64_t time_ns)
{
	p->gone = true;
	if (p->jit)
		jitmap_open(p->jit);
	for (size_t i = 0; i < p->nr_maps; i++)
		if (is_there(mapping_of(ps, p, i)))
			end_mapping(p, mapping_of(ps, p, i), time_ns);
}

static bool holds(const struct mapping *m, uint64_t address)
{
	return m->start <= address && address < m->end;
}

const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	const struct mapping *found = NULL;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = mapping_of(ps, p, i);

		if (holds(m, address) &&
			(!found || m->to_ns > found->to_ns ||
				(m->to_ns == found->to_ns && m->generation >= found->generation)))
			found = m;
	}
	return found;
}

/* True if A is a better guess than B for the mapping at TIME_NS, if both are possible. */
static bool is_likelier(const struct mapping *a, const struct mapping *b, int64_t time_ns)
{
	bool sure_a = a->by_ns <= time_ns, sure_b = b->by_ns <= time_ns;

	return sure_a == sure_b ? a->generation >= b->generation : sure_a;
}

const struct mapping *process_find_at(
	const struct processes *ps, const struct process *p, uint64_t address, int64_t time_ns)
{
	const struct mapping *found = NULL;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = mapping_of(ps, p, i);

		if (holds(m, address) && held_at(m, time_ns) &&
			(!found || is_likelier(m, found, time_ns)))
			found = m;
	}
	return found;
}

static void move_perfmap(struct process *p, struct open_files *files)
{
	if (!p->jit)
		return;
	if (!p->gone)
		jitmap_open(p->jit);
	int fd = jitmap_take(p->jit);

	if (fd >= 0)
		open_files_add_perfmap(files, p->pid, fd);
}

void processes_move_files(struct processes *ps, struct open_files *files)
{
	for (size_t i = 0; i < ps->nr_objects; i++) {
		struct object *o = &ps->objects[i];

		if (o->elf)
			open_files_add(files, o->elf, o->path);
		else if (o->silent)
			open_files_add_silent(files, o->path);
		o->elf = NULL;
	}
	for (size_t i = 0; i < ps->nr; i++)
		move_perfmap(&ps->list[i], files);
}

void processes_get_all(struct processes *ps, int64_t end_ns)
{
	size_t nr;
	uint32_t *pids = busy_since_start(&nr);

	for (size_t i = 0; i < nr && monotonic_ns() < end_ns; i++)
		processes_get(ps, pids[i]);
	free(pids);
}
