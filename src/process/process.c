/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"
#include "busy.h"
#include "jitmap.h"
#include "lib/hash.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "mappings.h"
#include "moved_code.h"
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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	SHORT_SCAN_NS = 1000000,
	SCAN_SHARE = 20, /* longer scans of a process may take 1/20 of the time */
	GENERATIONS_MAX = 16,
	EAGER_MAX = 32,      /* mappings that a child inherits when it is forked */
	INHERITED_MAX = 512, /* when it is sampled; with more, it is scanned */
};

void processes_init(struct processes *ps)
{
	*ps = (struct processes){0};
	table_init(&ps->by_pid);
	table_init(&ps->by_file);
	table_init(&ps->by_build_id);
	table_init(&ps->by_place);
}

static void free_object(struct object *o)
{
	elffile_close(o->elf);
	free(o->path);
	free(o->build_id);
}

static void release_process(struct process *p)
{
	mappings_release(p);
	free(p->root);
	jitmap_free(p->jit);
}

void processes_release(struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++)
		release_process(&ps->list[i]);
	for (size_t i = 0; i < ps->nr_objects; i++)
		free_object(&ps->objects[i]);
	free(ps->list);
	free(ps->unused);
	free(ps->changed);
	free(ps->maps);
	free(ps->free);
	free(ps->objects);
	free(ps->unused_objects);
	table_release(&ps->by_pid);
	table_release(&ps->by_file);
	table_release(&ps->by_build_id);
	table_release(&ps->by_place);
	*ps = (struct processes){0};
}

/*
 * Returns a hash of PATH as P sees it. In another mount namespace or root directory, anybody may
 * have put a file with the same build-id there.
 */
static uint64_t place_of(const struct process *p, const char *path)
{
	uint64_t root = hash_text(p->root, strlen(p->root));

	return hash_pair(hash_text(path, strlen(path)), hash_pair(root, p->mounts));
}

static uint32_t *object_by_build_id(
	struct processes *ps, const char *build_id, uint64_t place, bool *is_new)
{
	return table_put(&ps->by_build_id, hash_text(build_id, strlen(build_id)), place, is_new);
}

static uint32_t add_object(struct processes *ps, const struct object *o)
{
	uint32_t number = (uint32_t)ps->nr_objects;
	bool is_new;

	if (ps->nr_unused_objects) {
		number = ps->unused_objects[--ps->nr_unused_objects];
	} else {
		ALLOC_GROW(ps->objects, ps->nr_objects, ps->objects_alloc);
		ps->nr_objects++;
	}
	ps->objects[number] = *o;
	ps->objects[number].id = ++ps->nr_objects_added;
	if (*o->build_id)
		*object_by_build_id(ps, o->build_id, o->place, &is_new) = number;
	return number;
}

/*
 * Returns the number of the object that is the same as O, but is known only by its build-id so far,
 * or -1 if there is none.
 */
static int64_t find_by_build_id(const struct processes *ps, const struct object *o)
{
	const uint32_t *at =
		table_get(&ps->by_build_id, hash_text(o->build_id, strlen(o->build_id)), o->place);

	return at && ps->objects[*at].elf && !ps->objects[*at].inode ? (int64_t)*at : -1;
}

/* Returns ELF if it has BUILD_ID or BUILD_ID is NULL. Otherwise closes it and returns NULL. */
static struct elffile *check_build_id(struct elffile *elf, const char *build_id)
{
	if (elf && build_id && strcmp(elffile_build_id(elf), build_id)) {
		elffile_close(elf);
		return NULL;
	}
	return elf;
}

/* Opens the file of O, in our own root directory if it may be there. */
static void open_object(
	struct object *o, struct procfile *f, bool in_our_root, const char *build_id)
{
	o->path_differs = true;
	if (in_our_root)
		o->elf = check_build_id(procfile_open(f, &o->path_differs), build_id);
	if (build_id ? !o->elf : o->path_differs) {
		o->path_differs = true;
		o->elf = check_build_id(procfile_open_mapped(f), build_id);
	}
	o->gap = o->elf ? CUT_RULES : f->gap;
	o->elsewhere = !build_id && !o->elf && f->other;
}

/* Returns true if the file of O was closed, see objects.h. */
static bool is_shut(const struct object *o)
{
	return o->elf && elffile_is_shut(o->elf);
}

/* Takes the open file of AGAIN, which is the same file, if O needs it. */
static void take_file(struct object *o, struct object *again)
{
	if (!is_shut(o) || !again->elf)
		return;
	elffile_close(o->elf);
	o->elf = again->elf;
	o->path_differs = again->path_differs;
	again->elf = NULL;
}

static void open_again(struct object *o, struct procfile *f, bool in_our_root)
{
	struct object again = {0};

	if (!is_shut(o))
		return;
	open_object(&again, f, in_our_root, o->build_id);
	take_file(o, &again);
}

/* Adds a file as it is named in /proc/PID/maps. */
static size_t object_of_file(struct processes *ps, const struct process *p, const struct mapping *m,
	uint64_t dev, uint64_t inode, const char *path)
{
	bool is_new;
	uint32_t *at = table_put(
		&ps->by_file, hash_pair(dev, inode), hash_text(path, strlen(path)), &is_new);

	struct procfile f = {.pid = p->pid,
		.start = m->start,
		.end = m->end,
		.path = path,
		.dev = dev,
		.inode = inode};

	if (!is_new) {
		open_again(&ps->objects[*at], &f, true);
		return *at;
	}
	struct object o = {
		.dev = dev,
		.inode = inode,
		.path = xstrdup(path),
		.place = place_of(p, path),
		.deleted = ends_with(path, " (deleted)"),
	};

	if (path[0] == '/')
		open_object(&o, &f, true, NULL);
	else if (!strcmp(path, "[vdso]"))
		o.elf = elffile_open_vdso();
	o.build_id = xstrdup(o.elf ? elffile_build_id(o.elf) : "");
	int64_t known = *o.build_id ? find_by_build_id(ps, &o) : -1;

	if (known < 0)
		return *at = add_object(ps, &o);
	take_file(&ps->objects[known], &o);
	free_object(&o);
	ps->objects[known].dev = dev;
	ps->objects[known].inode = inode;
	return *at = (uint32_t)known;
}

/* Adds a file whose build-id comes from the kernel's mmap event. The process may have ended. */
static size_t object_of_event(struct processes *ps, const struct process *p, const struct mapped *m)
{
	bool is_new;
	uint64_t place = place_of(p, m->path);
	uint32_t *at = object_by_build_id(ps, m->build_id, place, &is_new);

	struct procfile f = {.pid = p->pid, .start = m->start, .end = m->end, .path = m->path};

	if (!is_new) {
		open_again(&ps->objects[*at], &f, !*p->root);
		return *at;
	}
	struct object o = {
		.path = xstrdup(m->path),
		.place = place,
		.build_id = xstrdup(m->build_id),
		.deleted = ends_with(m->path, " (deleted)"),
	};

	open_object(&o, &f, !*p->root, m->build_id);
	return add_object(ps, &o);
}

/*
 * Looks for a perf map: executable anonymous memory may be JIT-compiled code. A compiler that
 * writes a dump has mapped it.
 */
static void find_jit(struct processes *ps, struct process *p, const struct mapping *m)
{
	const struct object *o = &ps->objects[m->object];

	if (m->to_ns != INT64_MAX || o->elf)
		return;
	if (!p->looked_for_jit)
		p->jit = jitmap_new(p->pid);
	p->looked_for_jit = true;
	if (p->jit && recording_is_dump(o->path))
		jitmap_open_dump(p->jit, o->path);
}

/*
 * Returns PATH as the process itself sees it, which stap needs. maps shows it relative to our root.
 */
static const char *own_path(const struct process *p, const char *path)
{
	size_t n = strlen(p->root);

	return n && !strncmp(path, p->root, n) && path[n] == '/' ? path + n : path;
}

/* Returns NULL if it cannot be read, as the process has ended, for example. */
static char *root_of(uint32_t pid)
{
	char link[64], root[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%u/root", pid);
	ssize_t n = readlink(link, root, sizeof(root));

	if (n < 0)
		return NULL;
	return xstrndup(root, n > 1 ? (size_t)n : 0);
}

static uint64_t mounts_of(uint32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Looks up the root directory and the mount namespace of P. */
static void find_root(struct process *p)
{
	char *root = root_of(p->pid);

	free(p->root);
	p->root = root ? root : xstrdup("");
	p->mounts = root ? mounts_of(p->pid) : 0;
}

/* ---- scans ---- */

/* A line of /proc/PID/maps. */
struct maps_line {
	uint64_t start, end, offset, dev, inode;
	bool writable, executable;
	const char *path; /* or "" if there is none */
};

struct scan {
	struct processes *ps;
	struct process *p;
	int64_t now;
	uint32_t *numbers; /* numbers of the mappings that were found, by address */
	size_t nr, alloc;
	uint64_t end;          /* end of the last one */
	struct maps_line file; /* the last line with a file, of any kind */
	struct strbuf path;    /* path of that file */
	uint64_t file_end;     /* end of the file and the memory that continues it */
	uint64_t left_out;     /* pages of mappings for which there was no room */
};

/* Reads a hexadecimal number and the character SEP after it. */
static bool take_hex(const char **at, char sep, uint64_t *number)
{
	char *end;

	*number = strtoull(*at, &end, 16);
	if (end == *at || *end != sep)
		return false;
	*at = end + 1;
	return true;
}

/* Parses "START-END PERMS OFFSET MAJOR:MINOR INODE   PATH". Returns false for other lines. */
static bool parse_line(const char *at, struct maps_line *l)
{
	uint64_t dev_major, dev_minor;
	char *end;

	if (!take_hex(&at, '-', &l->start) || !take_hex(&at, ' ', &l->end) || strnlen(at, 5) < 5)
		return false;
	l->writable = at[1] == 'w';
	l->executable = at[2] == 'x';
	at += 5;
	if (!take_hex(&at, ' ', &l->offset) || !take_hex(&at, ':', &dev_major) ||
		!take_hex(&at, ' ', &dev_minor))
		return false;
	l->dev = makedev((unsigned)dev_major, (unsigned)dev_minor);
	l->inode = strtoull(at, &end, 10);
	l->path = end + strspn(end, " ");
	return l->end > l->start && strcmp(l->path, "[vsyscall]");
}

static void take_mapping(struct scan *s, const struct mapping *m)
{
	int64_t same = mappings_find_same(s->ps, s->p, m);
	uint32_t number = (uint32_t)same;

	if (!mappings_have_room(s->ps, m, s->nr) ||
		(same < 0 && !mappings_new(s->ps, s->p, m, &number))) {
		s->left_out += mappings_exec_pages(m);
		return;
	}
	if (same < 0)
		find_jit(s->ps, s->p, m);
	ALLOC_GROW(s->numbers, s->nr, s->alloc);
	s->numbers[s->nr++] = number;
}

/*
 * Returns true if L may be memory in huge pages: it has no file, or a file that stands for huge
 * pages.
 */
static bool is_anonymous(const struct maps_line *l)
{
	return !l->inode ? l->path[0] != '[' || !strncmp(l->path, "[anon:", 6)
			 : !strncmp(l->path, "/anon_hugepage", 14);
}

/* Keeps L, which maps a file, for the memory that may follow it. */
static void keep_file(struct scan *s, const struct maps_line *l)
{
	s->file = *l;
	s->file_end = l->end;
	strbuf_reset(&s->path);
	strbuf_adds(&s->path, l->path);
}

/* Returns true if M, memory without a file, is code of the file that is mapped before it. */
static bool continue_file(struct scan *s, struct mapping *m)
{
	const struct maps_line *l = &s->file;
	struct mapping mapped = {.start = l->start, .end = l->end, .offset = l->offset};
	struct moved_code_file before = {l->start, l->end, l->offset, l->executable};
	size_t object;

	if (!s->path.len || s->file_end != m->start)
		return false;
	object =
		object_of_file(s->ps, s->p, &mapped, l->dev, l->inode, own_path(s->p, s->path.buf));
	if (!moved_code_find(s->p->pid, s->ps->objects[object].elf, &before, m))
		return false;
	m->object = object;
	s->file_end = m->end;
	return true;
}

static void take_line(struct scan *s, const char *line)
{
	const struct process *p = s->p;
	struct mapping m = {.generation = p->generation, .to_ns = INT64_MAX};
	struct maps_line l;

	if (!parse_line(line, &l) || l.start < s->end)
		return;
	m.start = l.start;
	m.end = l.end;
	m.offset = l.offset;
	m.writable = l.writable;
	m.from_ns = p->generation > 1 ? p->scanned_ns : 0;
	m.by_ns = p->generation > 1 ? s->now : 0;
	if (l.executable && (!is_anonymous(&l) || !continue_file(s, &m)))
		m.object = object_of_file(s->ps, p, &m, l.dev, l.inode, own_path(p, l.path));
	if (l.path[0] == '/' && !is_anonymous(&l))
		keep_file(s, &l);
	if (!l.executable)
		return;
	s->end = m.end;
	take_mapping(s, &m);
}

/* Reads a maps file. Returns the number of lines, or -1 with ERR set if it cannot be read. */
static int64_t take_maps(struct scan *s, const char *path, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct lines lines;
	int64_t taken = 0;
	char *line;
	size_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, "cannot read '%s': %s", path, strerror(errno));
	lines_init(&lines, fd);
	for (; lines_next(&lines, &line, &len); taken++) {
		strbuf_reset(&text);
		strbuf_add(&text, line, len);
		take_line(s, text.buf);
	}
	int error = lines.error;

	strbuf_release(&text);
	lines_release(&lines);
	close(fd);
	return error ? fail(err, "cannot read '%s': %s", path, strerror(error)) : taken;
}

/* Reads the maps of the first thread that has them. The main thread has exited. */
static int64_t take_threads_maps(struct scan *s)
{
	char path[64];
	struct dirent *entry;
	int64_t taken = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", s->p->pid);
	DIR *dir = opendir(path);

	while (dir && taken <= 0 && (entry = readdir(dir))) {
		char *maps = xasprintf("%s/%s/maps", path, entry->d_name);

		if (entry->d_name[0] != '.')
			taken = take_maps(s, maps, NULL);
		free(maps);
	}
	if (dir)
		closedir(dir);
	return taken;
}

/* Ends a scan without a result. The mappings stay as they were. */
static void cancel_scan(struct scan *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->ps->maps[s->numbers[i]].generation == s->p->generation)
			mappings_drop(s->ps, s->numbers[i]);
	free(s->numbers);
}

int process_scan(struct processes *ps, struct process *p, struct strbuf *err)
{
	struct scan scan = {.ps = ps, .p = p, .now = monotonic_ns(), .path = STRBUF_INIT};
	int64_t began_ns = cpu_time_ns();
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	p->generation++;
	int64_t taken = take_maps(&scan, path, err);

	if (!taken)
		taken = take_threads_maps(&scan);
	if (taken > 0) {
		p->parent_id = 0;
		mappings_replace(ps, p, scan.numbers, scan.nr, scan.now);
		p->exec_pages += scan.left_out;
	} else { /* the maps of a zombie are empty */
		cancel_scan(&scan);
	}
	if (taken < 0)
		p->generation--;
	p->scanned_ns = scan.now;
	p->scan_ns = cpu_time_ns() - began_ns;
	strbuf_release(&scan.path);
	return taken < 0 ? -1 : 0;
}

bool process_may_scan(const struct process *p)
{
	return p->scan_ns < SHORT_SCAN_NS ||
	       monotonic_ns() - p->scanned_ns > SCAN_SHARE * p->scan_ns;
}

void process_scan_soon(struct processes *ps, struct process *p)
{
	if (monotonic_ns() - p->scanned_ns > 50000000)
		process_scan(ps, p, NULL);
}

/* ---- processes ---- */

static size_t unused_place(struct processes *ps)
{
	if (ps->nr_unused)
		return ps->unused[--ps->nr_unused];
	ALLOC_GROW(ps->list, ps->nr, ps->alloc);
	return ps->nr++;
}

static struct process *add_process(struct processes *ps, uint32_t pid)
{
	size_t i = unused_place(ps);
	struct process *p = &ps->list[i];
	bool is_new;

	*table_put(&ps->by_pid, pid, 0, &is_new) = (uint32_t)i;
	*p = (struct process){.pid = pid, .id = ++ps->nr_ids};
	ps->nr_added++;
	return p;
}

/* Reads of P what the events of its fork do not tell. */
static void look_at(struct process *p)
{
	p->start = task_start(p->pid, p->pid);
	find_root(p);
}

/* Returns the newest process with this PID, or NULL if there is none. */
static struct process *newest(const struct processes *ps, uint32_t pid)
{
	const uint32_t *at = table_get(&ps->by_pid, pid, 0);

	return at && ps->list[*at].pid == pid ? &ps->list[*at] : NULL;
}

/* Returns true if another process has the PID of P. */
static bool is_reused(const struct process *p)
{
	uint64_t start = p->gone ? task_start(p->pid, p->pid) : 0;

	if (p->start || !start)
		return start && start != p->start;
	return start > task_start_at(p->forked_ns) + 1; /* times are rounded */
}

/* Adds the mappings in LIST, a list of the parent, that the parent had at TIME_NS. */
static void inherit(
	struct processes *ps, struct process *p, const uint32_t *list, size_t nr, int64_t time_ns)
{
	for (size_t i = 0; i < nr; i++) {
		struct mapping m = ps->maps[list[i]];

		if (m.from_ns > time_ns || time_ns >= m.to_ns || m.by_ns > time_ns)
			continue;
		m.from_ns = m.by_ns = time_ns;
		m.to_ns = INT64_MAX;
		m.generation = 1;
		find_jit(ps, p, &m);
		mappings_add(ps, p, &m);
	}
}

static const struct process *known_parent(const struct processes *ps, const struct process *p)
{
	const struct process *from = &ps->list[p->parent];

	return p->parent_id && from->id == p->parent_id ? from : NULL;
}

/* Gives P the mappings that it has inherited, if that has not happened yet. */
static void take_heritage(struct processes *ps, struct process *p)
{
	const struct process *from = known_parent(ps, p);

	/* parents that were not sampled have inherited theirs, too */
	for (int i = 0; from && from->parent_id && i < GENERATIONS_MAX; i++)
		from = known_parent(ps, from);
	p->parent_id = 0;
	if (!from || from->nr_maps > INHERITED_MAX)
		return;
	inherit(ps, p, from->past, from->nr_past, p->forked_ns);
	inherit(ps, p, from->maps, from->nr_maps, p->forked_ns);
}

struct process *processes_get(struct processes *ps, uint32_t pid)
{
	struct process *p = newest(ps, pid);

	if (p && !is_reused(p)) {
		take_heritage(ps, p);
		return p;
	}
	p = add_process(ps, pid);
	look_at(p);
	process_scan(ps, p, NULL);
	return p;
}

const struct process *processes_newest(const struct processes *ps, uint32_t pid)
{
	return newest(ps, pid);
}

struct process *processes_known(struct processes *ps, uint32_t pid)
{
	struct process *p = newest(ps, pid);

	return p && !p->gone ? p : NULL;
}

/* ---- events ---- */

static size_t object_of_mapped(struct processes *ps, const struct process *p,
	const struct mapping *m, const struct mapped *mapped)
{
	if (*mapped->build_id && mapped->path[0] == '/')
		return object_of_event(ps, p, mapped);
	return object_of_file(ps, p, m, mapped->dev, mapped->inode, mapped->path);
}

/*
 * Gives M, which comes from an event, the file of the mapping before it if it is that file's code.
 */
static void continue_mapping(
	struct processes *ps, const struct process *p, struct mapping *m, int64_t time_ns)
{
	const struct mapping *known = process_find_at(ps, p, m->start - 1, time_ns);
	struct moved_code_file before = {.executable = true};

	if (!known || ps->objects[m->object].elf ||
		!recording_is_memory(ps->objects[m->object].path))
		return;
	before.start = known->start;
	before.end = known->end;
	before.offset = known->offset;
	if (moved_code_find(p->pid, ps->objects[known->object].elf, &before, m))
		m->object = known->object;
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

	take_heritage(ps, p);

	m.object = object_of_mapped(ps, p, &m, mapped);
	continue_mapping(ps, p, &m, time_ns);
	int64_t same = mappings_find_same(ps, p, &m);

	if (same < 0 || seen_since)
		mappings_unmap(ps, p, m.start, m.end, time_ns);
	if (same >= 0) {
		struct mapping *known = &ps->maps[same];

		if (known->from_ns <= time_ns && time_ns < known->by_ns)
			known->from_ns = known->by_ns = time_ns;
		return;
	}
	if (seen_since)
		m.to_ns = p->scanned_ns;
	m.generation = ++p->generation;
	find_jit(ps, p, &m);
	mappings_add(ps, p, &m);
}

void process_executed(struct processes *ps, struct process *p, int64_t time_ns)
{
	find_root(p);
	p->generation++;
	mappings_unmap(ps, p, 0, UINT64_MAX, time_ns);
	jitmap_free(p->jit);
	p->jit = NULL;
	p->looked_for_jit = false;
	p->parent_id = 0;
	for (size_t i = 0; i < p->nr_maps; i++) /* found by a later scan */
		find_jit(ps, p, &ps->maps[p->maps[i]]);
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
	if (!from) {
		look_at(p);
		return;
	}
	p->root = xstrdup(from->root);
	p->mounts = from->mounts;
	p->parent = (size_t)(from - ps->list);
	p->parent_id = from->id;
	p->forked_ns = time_ns;
	if (!from->parent_id && from->nr_maps <= EAGER_MAX)
		take_heritage(ps, p);
}

void process_ended(struct processes *ps, struct process *p, int64_t time_ns)
{
	p->gone = true;
	p->gone_ns = time_ns;
	if (p->jit)
		jitmap_end(p->jit);
	mappings_end(ps, p, time_ns);
}

/* ---- unreferenced processes and mappings ---- */

static bool any_used(const uint32_t *list, size_t nr, const bool *used)
{
	for (size_t i = 0; i < nr; i++)
		if (used[list[i]])
			return true;
	return false;
}

/* Returns true if the names of its JIT-compiled code may be needed. */
static bool needs_perfmap(const struct process *p, const bool *used)
{
	return p->jit && jitmap_found(p->jit) &&
	       (any_used(p->maps, p->nr_maps, used) || any_used(p->past, p->nr_past, used));
}

/*
 * Makes by_pid again, for the remaining processes only. Otherwise it would grow with each new PID.
 */
static void make_by_pid(struct processes *ps)
{
	table_release(&ps->by_pid);
	table_init(&ps->by_pid);
	for (size_t i = 0; i < ps->nr; i++) {
		const struct process *p = &ps->list[i];
		bool is_new;

		if (!p->pid)
			continue;
		uint32_t *at = table_put(&ps->by_pid, p->pid, 0, &is_new);

		if (is_new || ps->list[*at].id < p->id)
			*at = (uint32_t)i;
	}
}

void processes_sweep(struct processes *ps, const bool *used, int64_t time_ns)
{
	for (size_t i = 0; i < ps->nr; i++) {
		struct process *p = &ps->list[i];
		bool is_old = p->pid && p->gone && p->gone_ns < time_ns;

		if (is_old && !p->keeps_jit && !(p->keeps_jit = needs_perfmap(p, used))) {
			release_process(p);
			*p = (struct process){.gone = true};
			ALLOC_GROW(ps->unused, ps->nr_unused, ps->unused_alloc);
			ps->unused[ps->nr_unused++] = (uint32_t)i;
		} else {
			mappings_forget(ps, p, time_ns);
		}
	}
	mappings_sweep(ps, used, time_ns);
	make_by_pid(ps);
}

void processes_note_left_out(const struct processes *ps, struct strbuf *notes)
{
	if (ps->left_out)
		strbuf_addf(notes,
			"%" PRIu64
			" times an executable mapping was left out, as a process has more than "
			"%d of them or all have more than %d: its frames have no names\n",
			ps->left_out, PROCESS_MAPS_MAX, PROCESSES_MAPS_MAX);
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

void processes_lend_files(const struct processes *ps, struct open_files *files)
{
	for (size_t i = 0; i < ps->nr_objects; i++) {
		const struct object *o = &ps->objects[i];

		if (is_shut(o))
			continue;
		if (o->elf)
			open_files_add(files, o->elf, o->path);
		else if (o->gap == CUT_SILENT)
			open_files_add_silent(files, o->path);
	}
}

void processes_move_files(struct processes *ps, struct open_files *files)
{
	processes_lend_files(ps, files);
	for (size_t i = 0; i < ps->nr_objects; i++)
		if (!is_shut(&ps->objects[i]))
			ps->objects[i].elf = NULL;
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
