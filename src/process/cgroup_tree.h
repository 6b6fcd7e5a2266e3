/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where cgroup hierarchies are mounted, and the directories in them. */
#ifndef PROCESS_CGROUP_TREE_H
#define PROCESS_CGROUP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgroup_mount {
	char *dir, *root; /* root is the cgroup that is mounted at dir */
	bool is_unified;  /* it is a v2 hierarchy */
};

struct cgroup_mounts {
	struct cgroup_mount *list;
	size_t nr, alloc;
};

void cgroup_mounts_read(struct cgroup_mounts *m, const char *mountinfo);
void cgroup_mounts_release(struct cgroup_mounts *m);

/*
 * Calls VISIT for all cgroups below DIR, with the path of each, the length of DIR in the path, and
 * the level, which is 1 for the cgroups directly in DIR. If VISIT returns true, the cgroups below
 * that cgroup are left out.
 */
typedef bool cgroup_visit(void *context, const char *path, size_t dir_len, uint32_t level);
void cgroup_tree_walk(const char *dir, cgroup_visit *visit, void *context);

#endif
