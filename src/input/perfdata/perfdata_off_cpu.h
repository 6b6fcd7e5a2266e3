/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of perf record --off-cpu: how long a thread waited, and where. They have the fields
 * of other samples or, in newer versions of perf, one raw field with the thread, the time, the call
 * chain and the cgroup.
 */
#ifndef INPUT_PERFDATA_PERFDATA_OFF_CPU_H
#define INPUT_PERFDATA_PERFDATA_OFF_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;
struct perfdata_sample;

#define PERFDATA_OFF_CPU "offcpu-time"

enum { PERFDATA_OFF_CPU_MAX = 32 /* frames of its call chains */ };

struct perfdata_off_cpu {
	uint64_t *words; /* of the last sample, aligned, or NULL; the caller frees it */
};

/* Whether an event with this ATTR has such samples if its name is PERFDATA_OFF_CPU. */
bool perfdata_off_cpu_may_be(const struct perf_event_attr *attr);

/*
 * Sets the fields of S that are in its raw field, if it has one. They are valid until the next
 * call. Returns false if they do not fit.
 */
bool perfdata_off_cpu_read(struct perfdata_off_cpu *o, struct perfdata_sample *s);

#endif
