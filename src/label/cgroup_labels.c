/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The labels cgroup, unit and container, which are parts of the path of a process's cgroup. */
#include "memberships.h"
#include "process/cgroup.h"

#include <stdlib.h>
#include <string.h>

/*
 * Returns the path of the cgroup, or NULL for the root, to which processes that end belong in some
 * hierarchies.
 */
static char *read_path(const char *proc, uint32_t pid)
{
	char *path = cgroup_of(proc, pid);

	if (!path || strcmp(path, "/") != 0)
		return path;
	free(path);
	return NULL;
}

static const char *whole_path(const char *path, size_t *len)
{
	*len = strlen(path);
	return path;
}

static const char *short_id(const char *path, size_t *len)
{
	*len = CONTAINER_ID_SHORT;
	return cgroup_container(path);
}

const struct membership_label cgroup_label = {.read = read_path, .value = whole_path};
const struct membership_label unit_label = {.read = read_path, .value = cgroup_unit};
const struct membership_label container_label = {.read = read_path, .value = short_id};
