/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When and for how long a profile was recorded, and the CPU time that its samples stand for. */
#ifndef MODEL_TIMING_H
#define MODEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/*
 * Members are 0 if unknown. For several recordings, they are the first start, the sum of the
 * durations, the longest period and the most CPUs.
 */
struct timing {
	uint64_t started;  /* ns since 1970 */
	uint64_t duration; /* ns */
	uint64_t period;   /* ns of CPU time between two samples, or 0 if it is not a CPU profile */
	uint32_t cpus;     /* online CPUs of the machine */
	bool mixed;        /* the inputs have different periods, or some have none */
};

void timing_add(struct timing *timing, const struct timing *other);

/* Returns the mean number of CPUs that were in use for SAMPLES, or a negative number if unknown. */
double timing_cpus_used(const struct timing *timing, uint64_t samples);

/* Appends "; 1.9 of 2 CPUs for 5.0 s" if it is known, which shows missing samples. */
void timing_add_cpus(const struct timing *timing, uint64_t samples, struct strbuf *out);

#endif
