/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cgroup.h"
#include "lib/util.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns how much a line "ID:CONTROLLERS:PATH" tells about where its process belongs. */
static int rank_of(const char *line, const char *path)
{
	if (!strcmp(path, "/"))
		return 1;
	return !strncmp(line, "0::", 3) ? 4 : strstr(line, ":name=systemd:") ? 3 : 2;
}

char *cgroup_of(const char *proc, uint32_t pid)
{
	char *name = xasprintf("%s/%u/cgroup", proc, pid), *line = NULL, *best = NULL;
	FILE *in = fopen(name, "re");
	size_t alloc = 0;
	int best_rank = 0;

	free(name);
	while (in && getline(&line, &alloc, in) > 0) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		line[strcspn(line, "\n")] = '\0';
		if (ends_with(line, " (deleted)")) /* the process is a zombie */
			line[strlen(line) - strlen(" (deleted)")] = '\0';
		if (!path || path[1] != '/' || rank_of(line, path + 1) <= best_rank)
			continue;
		best_rank = rank_of(line, path + 1);
		free(best);
		best = xstrdup(path + 1);
	}
	if (in)
		fclose(in);
	free(line);
	return best;
}

static bool ends_in(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(name + len - n, end, n);
}

const char *cgroup_name_container(const char *name, size_t len)
{
	len -= ends_in(name, len, ".scope") ? strlen(".scope") : 0;
	if (len < CONTAINER_ID_LEN)
		return NULL;
	size_t before = len - CONTAINER_ID_LEN;

	for (size_t i = before; i < len; i++)
		if (!strchr("0123456789abcdef", name[i]) || !name[i])
			return NULL;
	if (before && name[before - 1] != '-' && name[before - 1] != ':')
		return NULL;
	/* the monitor of a container of Podman or CRI-O is not in the container */
	return before && ends_in(name, before - 1, "-conmon") ? NULL : name + before;
}

const char *cgroup_container(const char *path)
{
	const char *found = NULL;

	while (*path) {
		size_t n = strcspn(path, "/");
		const char *id = cgroup_name_container(path, n);

		found = id ? id : found;
		path += n + (path[n] == '/');
	}
	return found;
}

const char *cgroup_unit(const char *path, size_t *len)
{
	static const char *const ends[] = {".service", ".scope", ".socket", ".mount", ".swap"};
	const char *found = NULL;

	while (*path) {
		size_t n = strcspn(path, "/");

		for (size_t i = 0; i < ARRAY_LEN(ends); i++)
			if (ends_in(path, n, ends[i])) {
				found = path;
				*len = n;
			}
		path += n + (path[n] == '/');
	}
	return found;
}
