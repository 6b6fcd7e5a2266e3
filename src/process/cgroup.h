/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroup of a process, and what its path says: container and systemd unit. */
#ifndef PROCESS_CGROUP_H
#define PROCESS_CGROUP_H

#include <stddef.h>
#include <stdint.h>

enum { CONTAINER_ID_LEN = 64, CONTAINER_ID_SHORT = 12 }; /* digits */

/*
 * The path of the process's cgroup as /proc/PID/cgroup has it: in the v2 hierarchy, or in systemd's
 * or any other one if it is the root there. PROC is where procfs is mounted. NULL: not known. The
 * caller frees it.
 */
char *cgroup_of(const char *proc, uint32_t pid);

/*
 * The container ID in a directory's name of LEN bytes: CONTAINER_ID_LEN hexadecimal digits, as in
 * docker-ID.scope, cri-containerd-ID.scope or ID. NULL: it is not that of a container.
 */
const char *cgroup_name_container(const char *name, size_t len);

/* The ID of the innermost container in a path, NULL: none. */
const char *cgroup_container(const char *path);

/* The innermost service, scope, socket, mount or swap in a path, and its length; NULL: none. */
const char *cgroup_unit(const char *path, size_t *len);

#endif
