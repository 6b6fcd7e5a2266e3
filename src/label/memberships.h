/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorded processes belong to, such as their cgroup, as labels of their samples. Each
 * label is a row of MEMBERSHIP_LIST and a struct membership_label, which is named after it. It is
 * read from /proc once per process and program, while it runs.
 */
#ifndef LABEL_MEMBERSHIPS_H
#define LABEL_MEMBERSHIPS_H

#include "lib/strpool.h"
#include "lib/table.h"
#include "model/membership.h"
#include "process/facet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_task;

struct membership_label {
	/*
	 * Returns what PROC, where procfs is mounted, tells of process PID, or NULL if it tells
	 * nothing; labels that are known then remain. The caller frees the text. Neighbours in
	 * MEMBERSHIP_LIST with the same function share it.
	 */
	char *(*read)(const char *proc, uint32_t pid);
	/* Returns the value, LEN bytes of TEXT, or NULL if the process does not have the label. */
	const char *(*value)(const char *text, size_t *len);
	bool changes; /* while the process runs: the value that was read last is its label */
};

#define MEMBERSHIP_DECLARE(name) extern const struct membership_label name##_label;
MEMBERSHIP_LIST(MEMBERSHIP_DECLARE)
#undef MEMBERSHIP_DECLARE

extern const char *const membership_keys[NR_MEMBERSHIPS];

struct memberships {
	struct facet facet;
	const char *proc;  /* where procfs is mounted, or NULL if no memberships are recorded */
	uint32_t selected; /* MEMBERSHIP_BIT of the labels that are recorded */
	bool forks;        /* a child's labels are read at its fork */
	bool late;         /* a process's labels are first read when it has a sample */
	struct membership {
		uint64_t start; /* of the process, ticks since boot */
		uint64_t until; /* when another process got its PID, or UINT64_MAX */
		uint32_t pid;
		uint32_t older;  /* number of an earlier process with the same PID, or 0 */
		int64_t read_ns; /* when its labels were read (monotonic) */
		uint32_t values[NR_MEMBERSHIPS]; /* of the labels, in strings, or 0 */
	} * list;                                /* from 1 */
	size_t nr, alloc;
	bool is_full;        /* some processes are missing */
	struct table by_pid; /* number of the newest one */
	struct strpool strings;
};

/* PROC is kept. SELECTED has the MEMBERSHIP_BIT of each label to record, or is 0 for none. */
void memberships_init(struct memberships *m, const char *proc, uint32_t selected);
void memberships_release(struct memberships *m);

/* Reads the labels of process PID, unless they are known. */
void memberships_see(struct memberships *m, uint32_t pid);

/* Notes that PID is a new process, which started at START ticks since boot. */
void memberships_forked(struct memberships *m, uint32_t pid, uint64_t start);

/* Reads the labels of PID again, which executes another program and may have been moved. */
void memberships_executed(struct memberships *m, uint32_t pid);

/* Reads the labels of all processes, until END_NS (monotonic). */
void memberships_see_all(struct memberships *m, int64_t end_ns);

/* Returns the bit of this label, or 0 if there is none. */
uint32_t membership_bit(const char *name, size_t len);

/*
 * Returns what is known of the process PID that has a task which started at START ticks since boot
 * (or 0 if that is not known), or NULL if it is unknown. Valid until the next call.
 */
const struct membership *memberships_of(struct memberships *m, uint32_t pid, uint64_t start);

/* Returns whether half of the room is used. */
bool memberships_is_half_full(const struct memberships *m);

/* Forgets processes that have ended and have none of the NR tasks. */
void memberships_sweep(struct memberships *m, const struct rec_task *tasks, size_t nr);

#endif
