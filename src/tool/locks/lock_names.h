/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of locks: the variables that they are. */
#ifndef TOOL_LOCKS_LOCK_NAMES_H
#define TOOL_LOCKS_LOCK_NAMES_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "process/shared_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct processes;

struct lock_names {
	const struct processes *ps;
	bool debuginfo; /* members of structures are named, which takes time */
	struct shared_memory shared;
	struct strpool texts;
	struct table known; /* process, address -> text */
};

void lock_names_init(struct lock_names *n, const struct processes *ps, bool debuginfo);
void lock_names_release(struct lock_names *n);

/* A lock at ADDRESS in process PID, or in the kernel if PID is 0. */
struct lock_place {
	uint32_t pid;
	uint64_t address;
};

/*
 * Returns the name of a lock in a variable of a file that the process has mapped, such as
 * "queue_mutex (nginx)"; "server.clients[2].lock (nginx)" if the file's debug information is
 * installed; or else "server+0x28 (nginx)", or "nginx+0x1ed548" if the variable is not known. In
 * memory that processes share it is the place there, see shared_memory.h. Otherwise it is the
 * address, as in "0x7f24b0000b70 (process 1302)", or without a process for locks of the kernel.
 * Returns NULL if lock_names_learn() has not found the name yet. Valid until the next call.
 */
const char *lock_names_get(struct lock_names *n, struct lock_place place);

/* Finds the names of NR locks. Debug information is read once for all locks of a file. */
void lock_names_learn(struct lock_names *n, const struct lock_place *list, size_t nr);

#endif
