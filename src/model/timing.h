/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When and for how long a profile was recorded, and the CPU time that its samples stand for. */
#ifndef MODEL_TIMING_H
#define MODEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* 0: unknown. Of several recordings: first start, sum of durations, longest period, most CPUs. */
struct timing {
	uint64_t started;  /* ns since 1970 */
	uint64_t duration; /* ns */
	uint64_t period;   /* ns of CPU time between two samples; 0, too, if it is no CPU profile */
	uint32_t cpus;     /* online CPUs of the machine */
	bool mixed;        /* the inputs have different periods, or some have none */
};

void timing_add(struct timing *timing, const struct timing *other);

/* The mean number of CPUs that SAMPLES were in use; negative: unknown. */
double timing_cpus_used(const struct timing *timing, uint64_t samples);

/* Appends "; 1.9 of 2 CPUs for 5.0 s" if it is known, so that missing samples are noticed. */
void timing_add_cpus(const struct timing *timing, uint64_t samples, struct strbuf *out);

#endif
