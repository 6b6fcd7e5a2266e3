/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges mappings that have ended: equal parts of one file, wherever they were mapped, become one
 * mapping of no process (PID 0). What is kept of a recording that does not end depends then on the
 * number of files, not on the number of processes.
 */
#ifndef PROCESS_ENDED_MAPS_H
#define PROCESS_ENDED_MAPS_H

#include "lib/table.h"
#include "process.h"

struct ended_maps {
	struct processes *ps;
	int64_t time_ns;
	struct table parts; /* object, hash of its mapped part -> merged mapping */
	struct table named; /* PIDs whose generated code may have names */
};

/* Initialises M for mappings that ended before TIME_NS (monotonic). */
void ended_maps_init(struct ended_maps *m, struct processes *ps, int64_t time_ns);
void ended_maps_release(struct ended_maps *m);

/*
 * Returns the mapping that stands for mapping NUMBER: NUMBER itself if it has not ended, or there
 * is no room. Sets *ANYWHERE if it is memory whose code has no names any more, so that addresses in
 * it are of no use.
 */
uint32_t ended_maps_find(struct ended_maps *m, uint32_t number, bool *anywhere);

#endif
