/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that our stap scripts print (tapsets/stacks tells their form), taken in as they come,
 * and what they add up to. Naming needs /proc while the processes live, so each line is looked at
 * at once.
 */
#ifndef TALLY_H
#define TALLY_H

#include "lib/recording.h"
#include "lib/table.h"
#include "process.h"
#include "waiters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally {
	struct processes *ps;
	bool ready;                 /* "ready" came: probes are in place */
	int64_t began_ns, until_ns; /* monotonic times between which waits count; 0: not told */
	bool ended;                 /* "end" came: all rows are here */
	struct tally_stack {
		uint64_t id;
		uint32_t nr, missing; /* frames; how many of them have not come yet */
		uint64_t *addresses;  /* 0: not yet there */
		bool kernel;
	} * stacks;
	size_t nr_stacks, stacks_alloc;
	struct table by_id;
	struct tally_task {
		uint32_t pid, tid;
		uint64_t start;
		char *comm;
	} * tasks;
	size_t nr_tasks, tasks_alloc;
	struct table by_tid;
	struct tally_row {
		uint32_t tid;
		uint64_t user, kernel; /* ids, 0: none */
		uint64_t count, sum;
		char tag; /* '\0': none */
	} * rows;
	size_t nr_rows, rows_alloc;
	struct waiters waiters;
	uint64_t lost[LOST_REASONS];
};

/* In place of a stack's id: the wait began before the recording. */
enum { EARLIER_USER = 0x800, EARLIER_KERNEL = 0xc00 };

void tally_init(struct tally *t, struct processes *ps);
void tally_release(struct tally *t);

/* Takes in one line; what is no line of ours counts as lost (LOST_UNREADABLE). */
void tally_line(struct tally *t, char *line, size_t len);

/* The stack of an id, NULL when it never came whole. */
const struct tally_stack *tally_stack(const struct tally *t, uint64_t id);

/*
 * Adds tasks, stacks, rows and losses to REC, rows heaviest first, kernel frames with their names
 * from KS (or NULL).
 */
void tally_to_recording(
	const struct tally *t, const struct kallsyms *ks, uint32_t event, struct recording *rec);

#endif
