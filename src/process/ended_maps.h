/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings that have ended, merged: equal parts of one file, wherever they were mapped, become one
 * mapping of no process (PID 0). So what is kept of a recording that does not end depends on the
 * files, not on the number of processes.
 */
#ifndef PROCESS_ENDED_MAPS_H
#define PROCESS_ENDED_MAPS_H

#include "lib/table.h"
#include "process.h"

struct ended_maps {
	struct processes *ps;
	int64_t time_ns;
	struct table parts; /* object, hash of the part of it -> merged mapping */
	struct table named; /* PIDs whose generated code may have names */
};

/* For mappings that ended before TIME_NS (monotonic). */
void ended_maps_init(struct ended_maps *m, struct processes *ps, int64_t time_ns);
void ended_maps_release(struct ended_maps *m);

/*
 * The mapping that stands for NUMBER, which is itself if that has not ended or there is no room.
 * *ANYWHERE: of memory whose code nothing names any more, so that addresses in it are of no use.
 */
uint32_t ended_maps_find(struct ended_maps *m, uint32_t number, bool *anywhere);

#endif
