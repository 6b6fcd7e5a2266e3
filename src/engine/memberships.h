/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cgroups of the recorded processes and what their paths tell: the labels cgroup, unit and
 * container. They are read from /proc once per process and program, while it runs.
 */
#ifndef ENGINE_MEMBERSHIPS_H
#define ENGINE_MEMBERSHIPS_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "process/facet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples;

struct memberships {
	struct facet facet;
	const char *proc; /* where procfs is mounted, or NULL if no cgroups are recorded */
	bool forks;       /* a child's cgroup is read at its fork */
	const struct samples *samples; /* their processes are not forgotten */
	struct membership {
		uint64_t start; /* of the process, ticks since boot */
		uint64_t until; /* when another process got its PID, or UINT64_MAX */
		uint32_t pid;
		uint32_t path;  /* in strings */
		uint32_t older; /* number of an earlier process with the same PID, or 0 */
	} * list;               /* from 1 */
	size_t nr, alloc;
	bool is_full;        /* some processes are missing */
	struct table by_pid; /* number of the newest one */
	struct strpool strings;
};

enum { MEMBERSHIP_LABELS = 3 };

void memberships_init(struct memberships *m, const char *proc, const struct samples *samples);
void memberships_release(struct memberships *m);

/* Reads the cgroup of process PID, unless it is known. */
void memberships_see(struct memberships *m, uint32_t pid);

/* Notes that PID is a new process, which started at START ticks since boot. */
void memberships_forked(struct memberships *m, uint32_t pid, uint64_t start);

/* Reads the cgroup of PID again, which executes another program and may have changed its cgroup. */
void memberships_executed(struct memberships *m, uint32_t pid);

/* Reads the cgroups of all processes, until END_NS (monotonic). */
void memberships_see_all(struct memberships *m, int64_t end_ns);

/*
 * Returns the cgroup of the process PID that has a task which started at START ticks since boot (or
 * 0 if that is not known), or NULL if it is unknown.
 */
const char *memberships_cgroup(struct memberships *m, uint32_t pid, uint64_t start);

/* Returns whether half of the room is used. */
bool memberships_is_half_full(const struct memberships *m);

/* Forgets processes that have ended and have no samples. */
void memberships_sweep(struct memberships *m);

/*
 * Sets LIST to the labels that PATH means, which point into it, and returns their number. The root
 * means none.
 */
struct membership_label {
	const char *key, *value;
	size_t len; /* of the value */
};
size_t memberships_labels(const char *path, struct membership_label list[MEMBERSHIP_LABELS]);

#endif
