/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of a perf.data file as they are at one time, and what their processes have mapped.
 * Strings are numbers in the recording.
 */
#ifndef INPUT_PERFDATA_PERFDATA_TASKS_H
#define INPUT_PERFDATA_PERFDATA_TASKS_H

#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* An executable mapping. */
struct perfdata_span {
	uint64_t start, end, offset;
	uint32_t file; /* number in struct perfdata_files */
};

/* Mappings in ascending order, which processes share after a fork until one of them changes. */
struct perfdata_space {
	unsigned refs;
	uint32_t number; /* unique for these mappings, from 1 */
	size_t nr, alloc;
	struct perfdata_span *spans;
};

struct perfdata_thread {
	uint32_t pid, tid, comm;
	uint32_t task; /* its task in the recording + 1, or 0 if it has no samples by this name */
	bool ended;
};

struct perfdata_tasks {
	struct recording *rec;
	struct table by_tid, by_pid; /* index in threads or processes + 1 */
	struct perfdata_thread *threads;
	size_t nr_threads, threads_alloc;
	struct perfdata_process {
		uint32_t pid, nr_threads;
		struct perfdata_space *space; /* or NULL without mappings */
	} * processes;
	size_t nr_processes, processes_alloc;
	uint32_t nr_spaces;
	bool keeps_ended; /* processes keep their mappings when they end */
};

void perfdata_tasks_init(struct perfdata_tasks *ts, struct recording *rec);
void perfdata_tasks_release(struct perfdata_tasks *ts);

/* Each of these is what a record of this kind tells. */
void perfdata_tasks_fork(
	struct perfdata_tasks *ts, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid);
void perfdata_tasks_exit(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid);
void perfdata_tasks_comm(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid, uint32_t comm);
void perfdata_tasks_map(struct perfdata_tasks *ts, uint32_t pid, const struct perfdata_span *span);

/* Returns the number of the thread's task in the recording. */
uint32_t perfdata_tasks_task(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid);

/* Returns the mappings of PID, or NULL if there are none. */
const struct perfdata_space *perfdata_tasks_space(const struct perfdata_tasks *ts, uint32_t pid);

/* Returns the mapping at ADDRESS, or NULL. SPACE may be NULL. */
const struct perfdata_span *perfdata_space_find(
	const struct perfdata_space *space, uint64_t address);

#endif
