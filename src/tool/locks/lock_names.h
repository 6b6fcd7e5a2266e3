/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of locks: the variables that they are. */
#ifndef TOOL_LOCKS_LOCK_NAMES_H
#define TOOL_LOCKS_LOCK_NAMES_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "process/shared_memory.h"

#include <stdint.h>

struct processes;

struct lock_names {
	const struct processes *ps;
	struct shared_memory shared;
	struct strpool texts;
	struct table known; /* process, address -> text */
};

void lock_names_init(struct lock_names *n, const struct processes *ps);
void lock_names_release(struct lock_names *n);

/*
 * Returns the name of the lock at ADDRESS in process PID: "queue_mutex (nginx)" or "queue+0x28
 * (nginx)" if it is in a variable of a file that the process has mapped, "nginx+0x1ed548" if the
 * variable is not known, and the place in memory that processes share, see shared_memory.h.
 * Otherwise it is the address, as in "0x7f24b0000b70 (process 1302)", or without a process if PID
 * is 0, as for locks of the kernel. Valid until the next call.
 */
const char *lock_name(struct lock_names *n, uint32_t pid, uint64_t address);

#endif
