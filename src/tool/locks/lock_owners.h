/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the threads that locks have as their owners. */
#ifndef TOOL_LOCKS_LOCK_OWNERS_H
#define TOOL_LOCKS_LOCK_OWNERS_H

#include "lib/strpool.h"
#include "lib/table.h"

#include <stdint.h>

struct lock_owners {
	struct strpool texts;
	struct table known; /* process, number in it -> text, or 0 if there is no such thread */
};

void lock_owners_init(struct lock_owners *o);
void lock_owners_release(struct lock_owners *o);

/*
 * Returns "NAME/TID" of the thread that is called NUMBER in process PID, in its own PID namespace,
 * or of thread NUMBER if PID is 0, or NULL if there was no such thread. LABELS is the map of the
 * struct lock_labels so far, in which threads are that have ended. Valid until the next call.
 */
const char *lock_owners_get(struct lock_owners *o, uint32_t pid, uint32_t number, int labels);

#endif
