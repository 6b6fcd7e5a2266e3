/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "descendants.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct parented {
	uint32_t pid, parent;
};

struct children {
	struct parented *list;
	size_t nr, alloc;
};

/* Returns the parent of a process, or 0 if there is none, or the process has ended. */
static uint32_t parent_of(const char *proc, const char *pid)
{
	char *path = xasprintf("%s/%s/stat", proc, pid), text[1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint32_t parent = 0;

	if (fd >= 0)
		close(fd);
	free(path);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	const char *s = strrchr(text, ')'); /* the name may contain blanks and parentheses */

	return s && sscanf(s + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

static int compare_parents(const void *va, const void *vb)
{
	const struct parented *a = va, *b = vb;

	return (a->parent > b->parent) - (a->parent < b->parent);
}

/* Returns all processes, sorted by their parents. */
static struct children read_children(const char *proc)
{
	struct children c = {0};
	DIR *dir = opendir(proc);

	for (struct dirent *e; dir && (e = readdir(dir));) {
		uint64_t pid;

		if (!parse_u64(e->d_name, strlen(e->d_name), 10, &pid) || pid > UINT32_MAX)
			continue;
		ALLOC_GROW(c.list, c.nr, c.alloc);
		c.list[c.nr++] = (struct parented){(uint32_t)pid, parent_of(proc, e->d_name)};
	}
	if (dir)
		closedir(dir);
	if (c.nr)
		qsort(c.list, c.nr, sizeof(*c.list), compare_parents);
	return c;
}

static size_t first_child(const struct children *c, uint32_t parent)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->list[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool contains(const uint32_t *list, size_t nr, uint32_t pid)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i] == pid)
			return true;
	return false;
}

uint32_t *descendants(const char *proc, const uint32_t *pids, size_t nr, size_t *nr_found)
{
	struct children c = read_children(proc);
	uint32_t *found = NULL;
	size_t alloc = 0;

	*nr_found = 0;
	for (size_t i = 0; i < nr + *nr_found; i++) {
		uint32_t parent = i < nr ? pids[i] : found[i - nr];

		for (size_t k = first_child(&c, parent); k < c.nr; k++) {
			uint32_t pid = c.list[k].pid;

			if (c.list[k].parent != parent)
				break;
			/*
			 * each process has one parent, so only the given ones could be found twice
			 */
			if (contains(pids, nr, pid) || *nr_found == c.nr)
				continue;
			ALLOC_GROW(found, *nr_found, alloc);
			found[(*nr_found)++] = pid;
		}
	}
	free(c.list);
	return found;
}
