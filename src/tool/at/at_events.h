/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own events: tracepoints, and the counters of perf. */
#ifndef TOOL_AT_AT_EVENTS_H
#define TOOL_AT_AT_EVENTS_H

#include "engine/probe.h"

#include <stdint.h>
#include <stdio.h>

struct perf_event_attr;

/* Returns the group of the tracepoint NAME, which the caller frees, or NULL if there is none. */
char *at_event_group(const char *name);

/* Opens the description of a tracepoint's record, which the caller closes, or returns NULL. */
FILE *at_event_format(const char *group, const char *name);

/*
 * Sets ATTR for a PROBE_SOFTWARE or PROBE_HARDWARE, with a hit at each COUNT events or, if COUNT is
 * 0, at the number that is usual. Returns -1 if there is no event of this name.
 */
int at_event_attr(const struct probe *probe, uint64_t count, struct perf_event_attr *attr);

#endif
