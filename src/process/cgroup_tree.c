/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cgroup_tree.h"
#include "lib/util.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 64 };

/* Parses a line of mountinfo, see proc_pid_mountinfo(5). */
static bool parse_mount(char *line, struct cgroup_mount *m)
{
	char root[4096], dir[4096], type[32];
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(rest, " - %31s", type) != 1 ||
		(strcmp(type, "cgroup2") && strcmp(type, "cgroup")) ||
		sscanf(line, "%*s %*s %*s %4095s %4095s", root, dir) != 2)
		return false;
	*m = (struct cgroup_mount){xstrdup(dir), xstrdup(root), !strcmp(type, "cgroup2")};
	return true;
}

void cgroup_mounts_read(struct cgroup_mounts *m, const char *mountinfo)
{
	FILE *in = fopen(mountinfo, "re");
	char *line = NULL;
	size_t alloc = 0;

	*m = (struct cgroup_mounts){0};
	while (in && getline(&line, &alloc, in) > 0) {
		ALLOC_GROW(m->list, m->nr, m->alloc);
		m->nr += parse_mount(line, &m->list[m->nr]);
	}
	if (in)
		fclose(in);
	free(line);
}

void cgroup_mounts_release(struct cgroup_mounts *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free(m->list[i].dir);
		free(m->list[i].root);
	}
	free(m->list);
	*m = (struct cgroup_mounts){0};
}

struct tree_walk {
	cgroup_visit *visit;
	void *context;
	size_t dir_len;
};

static void walk_into(const struct tree_walk *w, const char *dir, uint32_t level)
{
	DIR *d = level <= LEVELS_MAX ? opendir(dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *path = xasprintf("%s/%s", dir, e->d_name);

		if (!w->visit(w->context, path, w->dir_len, level))
			walk_into(w, path, level + 1);
		free(path);
	}
	if (d)
		closedir(d);
}

void cgroup_tree_walk(const char *dir, cgroup_visit *visit, void *context)
{
	walk_into(&(struct tree_walk){visit, context, strlen(dir)}, dir, 1);
}
