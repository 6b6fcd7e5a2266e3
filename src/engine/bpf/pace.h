/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder's priority. On a busy machine the recorder must start and end in time and read the
 * ring buffers before they are full, but work that a target causes must not starve other processes.
 * So the recorder is urgent (nice -20) for at most a quarter of the time.
 */
#ifndef ENGINE_BPF_PACE_H
#define ENGINE_BPF_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	bool on, urgent;
	int nice;                /* nice value when not urgent */
	int64_t credit_ns;       /* CPU time that may be used at high priority */
	int64_t wall_ns, cpu_ns; /* at the last update */
};

void pace_start(struct pace *p);
/* To be called between any two pieces of work whose number targets can choose. */
void pace_update(struct pace *p);
/* Makes the recorder not urgent until the next update, for work that is not urgent. */
void pace_relax(struct pace *p);
void pace_stop(struct pace *p);

#endif
