/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroup of a process, and the container and systemd unit that its path names. */
#ifndef PROCESS_CGROUP_H
#define PROCESS_CGROUP_H

#include <stddef.h>
#include <stdint.h>

enum { CONTAINER_ID_LEN = 64, CONTAINER_ID_SHORT = 12 }; /* digits */

/*
 * Returns the path of the process's cgroup as /proc/PID/cgroup has it, or NULL if it is not known.
 * It is the path in the v2 hierarchy or, if that is the root, in systemd's or any other hierarchy.
 * PROC is where procfs is mounted. The caller frees the path.
 */
char *cgroup_of(const char *proc, uint32_t pid);

/*
 * Returns the container ID in a directory's name of LEN bytes: CONTAINER_ID_LEN hexadecimal digits,
 * as in docker-ID.scope, cri-containerd-ID.scope or ID. Returns NULL if it is not a container's
 * name.
 */
const char *cgroup_name_container(const char *name, size_t len);

/* Returns the ID of the innermost container in a path, or NULL if there is none. */
const char *cgroup_container(const char *path);

/*
 * Returns the innermost service, scope, socket, mount or swap in a path, and its length, or NULL if
 * there is none.
 */
const char *cgroup_unit(const char *path, size_t *len);

#endif
