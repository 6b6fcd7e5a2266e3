/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracepoints of the kernel. */
#ifndef TOOL_AT_AT_EVENTS_H
#define TOOL_AT_AT_EVENTS_H

#include <stdio.h>

struct at_sites;

/*
 * Mounts tracefs at its usual place if it is not mounted, as perf does: minimal systems and
 * containers do not mount it, and tracepoints have their numbers there. Failure shows later.
 */
void at_events_mount(void);

/* Opens the file NAME of tracefs, which the caller closes, or returns NULL. */
FILE *at_events_open(const char *name);

/*
 * Adds the tracepoints that match PATTERN, GROUP:NAME or NAME, with * and ? in it. The names are
 * GROUP:NAME.
 */
void at_events_find(struct at_sites *sites, const char *pattern);

/* Returns the group of the tracepoint NAME, which the caller frees, or NULL if there is none. */
char *at_event_group(const char *name);

/* Opens the description of a tracepoint's record, which the caller closes, or returns NULL. */
FILE *at_event_format(const char *group, const char *name);

#endif
