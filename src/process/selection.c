/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "selection.h"
#include "cgroup.h"
#include "cgroup_tree.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "task.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMM_MAX = 15 }; /* TASK_COMM_LEN without its NUL */

const struct selection_roots selection_system = {"/proc", "/proc/self/mountinfo"};

/* ---- names ---- */

static bool is_comm(const char *name)
{
	const char *star = strchr(name, '*');

	return *name && (!star || (!star[1] && star != name));
}

static bool is_cgroup(const char *name)
{
	if (name[0] != '/' || !name[strspn(name, "/")])
		return false;
	for (const char *at = name; (at = strstr(at, "/..")); at += 3)
		if (!at[3] || at[3] == '/')
			return false;
	return true;
}

static bool is_container_id(const char *name)
{
	size_t n = strlen(name);

	return n && n <= CONTAINER_ID_LEN && strspn(name, "0123456789abcdef") == n;
}

const char *selection_check(const struct selection *s)
{
	switch (s->kind) {
	case SELECT_COMM:
		return is_comm(s->name) ? NULL
					: "a name; a \"*\" may be at its end, as in kworker*";
	case SELECT_CGROUP:
		return is_cgroup(s->name) ? NULL
					  : "a path as /proc/PID/cgroup has it, or below the mount "
					    "point; not the root, which is -a";
	case SELECT_CONTAINER:
		return is_container_id(s->name)
			       ? NULL
			       : "an ID or its beginning; names are known only to the runtime: "
				 "docker, podman or crictl ps prints both";
	case SELECT_UNIT:
		return *s->name && !strchr(s->name, '/') ? NULL : "a unit such as nginx.service";
	case SELECT_NONE:
		break;
	}
	return NULL;
}

struct comm_words selection_comm(const struct selection *s)
{
	size_t n = strcspn(s->name, "*");
	bool whole = !s->name[n];
	struct comm_words w = {{0}, {0}};

	n = n < COMM_MAX ? n : COMM_MAX;
	memcpy(w.word, s->name, n);
	memset(w.mask, 0xff, n + whole);
	return w;
}

/* ---- names of tasks ---- */

/* Reads the name of the task whose directory in procfs is DIR. */
static bool read_comm(const char *dir, struct comm_words *comm)
{
	char *path = xasprintf("%s/comm", dir), text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	free(path);
	*comm = (struct comm_words){{0}, {0}};
	if (n <= 0)
		return false;
	n -= text[n - 1] == '\n';
	memcpy(comm->word, text, (size_t)(n < COMM_MAX ? n : COMM_MAX));
	return true;
}

static bool comm_matches(const struct comm_words *wanted, const char *dir)
{
	struct comm_words comm;

	return read_comm(dir, &comm) && !((comm.word[0] ^ wanted->word[0]) & wanted->mask[0]) &&
	       !((comm.word[1] ^ wanted->word[1]) & wanted->mask[1]);
}

static void add_pid(struct selected *found, uint32_t pid)
{
	ALLOC_GROW(found->pids, found->nr_pids, found->pids_alloc);
	found->pids[found->nr_pids++] = pid;
}

static bool is_number(const char *name, uint32_t *number)
{
	uint64_t value;

	if (!parse_u64(name, strlen(name), 10, &value) || value > INT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* Finds threads of the process in DIR. */
static void find_threads(const char *dir, const struct comm_words *wanted, struct selected *found)
{
	char *tasks = xasprintf("%s/task", dir);
	DIR *d = opendir(tasks);

	for (struct dirent *e; d && (e = readdir(d));) {
		char *path = xasprintf("%s/%s", tasks, e->d_name);
		uint32_t tid;

		if (is_number(e->d_name, &tid) && comm_matches(wanted, path)) {
			ALLOC_GROW(found->tids, found->nr_tids, found->tids_alloc);
			found->tids[found->nr_tids++] = tid;
		}
		free(path);
	}
	if (d)
		closedir(d);
	free(tasks);
}

static void find_comm(const struct selection *s, const char *proc, struct selected *found)
{
	struct comm_words wanted = selection_comm(s);
	DIR *d = opendir(proc);

	for (struct dirent *e; d && (e = readdir(d));) {
		char *path = xasprintf("%s/%s", proc, e->d_name);
		uint32_t pid;

		if (!is_number(e->d_name, &pid) || pid == (uint32_t)getpid())
			; /* no process, or this one */
		else if (comm_matches(&wanted, path))
			add_pid(found, pid);
		else
			find_threads(path, &wanted, found);
		free(path);
	}
	if (d)
		closedir(d);
}

/* ---- cgroups ---- */

struct selecting {
	const struct selection *selection;
	struct selected *found;
	char *unit;        /* with its suffix */
	char *container;   /* ID of the first match, or NULL if there is none yet */
	bool is_ambiguous; /* another container matches, too */
	bool is_whole;     /* the mount that is searched shows the whole hierarchy */
};

static char *unit_name(const char *name)
{
	static const char *const ends[] = {
		".service", ".scope", ".slice", ".socket", ".mount", ".swap"};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (ends_with(name, ends[i]))
			return xstrdup(name);
	return xasprintf("%s.service", name);
}

/* Returns true if a cgroup of this name is a container whose ID matches. */
static bool is_container(struct selecting *s, const char *name)
{
	const char *id = cgroup_name_container(name, strlen(name));

	if (!id || strncmp(id, s->selection->name, strlen(s->selection->name)))
		return false;
	if (!s->container)
		s->container = xstrndup(id, CONTAINER_ID_LEN);
	s->is_ambiguous |= strncmp(id, s->container, CONTAINER_ID_LEN);
	return true;
}

static void add_processes(struct selected *found, const char *dir)
{
	char *path = xasprintf("%s/cgroup.procs", dir);
	FILE *in = fopen(path, "re");
	uint32_t pid;

	while (in && fscanf(in, "%" SCNu32, &pid) == 1)
		if (pid) /* else it is outside of our PID namespace */
			add_pid(found, pid);
	if (in)
		fclose(in);
	free(path);
}

static bool add_below(void *context, const char *path, size_t dir_len, uint32_t level)
{
	(void)dir_len;
	(void)level;
	add_processes(context, path);
	return false;
}

static void add_cgroup(struct selecting *s, const char *path, uint32_t level)
{
	struct selected *found = s->found;
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return;
	ALLOC_GROW(found->cgroups, found->nr_cgroups, found->cgroups_alloc);
	found->cgroups[found->nr_cgroups++] =
		(struct selected_cgroup){st.st_ino, s->is_whole ? level : 0};
	add_processes(found, path);
	cgroup_tree_walk(path, add_below, found);
}

static bool visit(void *context, const char *path, size_t dir_len, uint32_t level)
{
	struct selecting *s = context;
	const char *name = file_name(path);

	(void)dir_len;
	if (s->selection->kind == SELECT_CONTAINER ? !is_container(s, name)
						   : strcmp(name, s->unit) != 0)
		return false;
	add_cgroup(s, path, level);
	return true;
}

/*
 * Returns what follows HEAD in PATH, from the slash on, or NULL if PATH does not begin with HEAD.
 */
static const char *path_below(const char *path, const char *head)
{
	size_t n = strlen(head);

	n -= n && head[n - 1] == '/';
	return !strncmp(path, head, n) && path[n] == '/' ? path + n : NULL;
}

static uint32_t nr_names(const char *path)
{
	uint32_t nr = 0;

	for (; *path; path++)
		nr += path[0] == '/' && path[1] && path[1] != '/';
	return nr;
}

static void find_in(struct selecting *s, const struct cgroup_mount *m)
{
	const char *name = s->selection->name, *below;

	s->is_whole = !strcmp(m->root, "/");
	if (s->selection->kind != SELECT_CGROUP) {
		cgroup_tree_walk(m->dir, visit, s);
		return;
	}
	below = path_below(name, m->dir);
	below = below ? below : path_below(name, m->root);
	if (!below)
		return;
	char *path = xasprintf("%s%s", m->dir, below);

	add_cgroup(s, path, nr_names(below));
	free(path);
}

static void release_lists(struct selected *found)
{
	free(found->pids);
	free(found->tids);
	free(found->cgroups);
}

/*
 * Finds cgroups in the v2 hierarchy or, if the processes are only in v1 hierarchies, in the first
 * of these.
 */
static struct selected find_cgroups(struct selecting *s, const struct cgroup_mounts *mounts)
{
	struct selected unified = {0}, other = {0};

	for (size_t i = 0; i < mounts->nr; i++) {
		const struct cgroup_mount *m = &mounts->list[i];

		unified.is_unified |= m->is_unified;
		unified.has_v1 |= !m->is_unified;
		s->found = m->is_unified ? &unified : &other;
		if (m->is_unified || !other.nr_pids)
			find_in(s, m);
	}
	bool is_other = unified.nr_cgroups ? !unified.nr_pids && other.nr_pids : other.nr_cgroups;

	other.has_v1 = unified.has_v1;
	release_lists(is_other ? &unified : &other);
	return is_other ? other : unified;
}

int selection_find(const struct selection *s, const struct selection_roots *roots,
	struct selected *found, struct strbuf *err)
{
	struct selecting search = {.selection = s, .unit = unit_name(s->name)};
	struct cgroup_mounts mounts;
	int ret = 0;

	*found = (struct selected){0};
	if (s->kind == SELECT_COMM) {
		find_comm(s, roots->proc, found);
		free(search.unit);
		return 0;
	}
	cgroup_mounts_read(&mounts, roots->mountinfo);
	*found = find_cgroups(&search, &mounts);
	if (!mounts.nr)
		ret = fail(err, "no cgroup file system is mounted here");
	else if (search.is_ambiguous)
		ret = fail(err, "the IDs of several containers begin with '%s': give more of it",
			s->name);
	if (ret)
		selected_release(found);
	cgroup_mounts_release(&mounts);
	free(search.unit);
	free(search.container);
	return ret;
}

void selected_release(struct selected *found)
{
	release_lists(found);
	*found = (struct selected){0};
}

bool selected_any(const struct selected *found)
{
	return found->nr_pids || found->nr_tids || found->nr_cgroups;
}

int selection_refuse(const struct selection *s, struct strbuf *err)
{
	static const char *const what[] = {
		[SELECT_COMM] = "no process or thread has the name",
		[SELECT_CGROUP] = "there is no cgroup",
		[SELECT_CONTAINER] = "there is no cgroup of a container",
		[SELECT_UNIT] = "there is no cgroup of a unit",
	};
	char *unit = unit_name(s->name);

	fail(err,
		"%s '%s'; what starts later is recorded while a command runs, as with -- sleep 60",
		what[s->kind], s->kind == SELECT_UNIT ? unit : s->name);
	free(unit);
	return -1;
}
