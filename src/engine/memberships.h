/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cgroup the recorded processes are in, and what its path says: the labels cgroup, unit and
 * container. Read from /proc once per process and program, while it runs.
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
		uint64_t until; /* when another one with its PID started; UINT64_MAX: none has */
		uint32_t pid;
		uint32_t path;  /* in strings */
		uint32_t older; /* number of that of an earlier process of the same PID, 0: none */
	} * list;               /* from 1 */
	size_t nr, alloc;
	bool is_full;        /* some processes are missing */
	struct table by_pid; /* number of the newest */
	struct strpool strings;
};

enum { MEMBERSHIP_LABELS = 3 };

void memberships_init(struct memberships *m, const char *proc, const struct samples *samples);
void memberships_release(struct memberships *m);

/* Reads the cgroup of process PID, unless that was done. */
void memberships_see(struct memberships *m, uint32_t pid);

/* PID is a new process, which started at START ticks since boot. */
void memberships_forked(struct memberships *m, uint32_t pid, uint64_t start);

/* PID executes another program, maybe in another cgroup than when it began. */
void memberships_executed(struct memberships *m, uint32_t pid);

/* Reads those of all processes until END_NS (monotonic). */
void memberships_see_all(struct memberships *m, int64_t end_ns);

/*
 * The cgroup of the process PID that has a task which started at START ticks since boot (0: not
 * known); NULL: unknown.
 */
const char *memberships_cgroup(struct memberships *m, uint32_t pid, uint64_t start);

/* Half of the room is taken. */
bool memberships_is_half_full(const struct memberships *m);

/* Forgets processes that have ended, except for those that have samples. */
void memberships_sweep(struct memberships *m);

/* Sets LIST to what PATH means, pointing into it; returns the number. The root means nothing. */
struct membership_label {
	const char *key, *value;
	size_t len; /* of the value */
};
size_t memberships_labels(const char *path, struct membership_label list[MEMBERSHIP_LABELS]);

#endif
