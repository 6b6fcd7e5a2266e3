/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracepoints of the kernel. */
#ifndef TOOL_AT_AT_EVENTS_H
#define TOOL_AT_AT_EVENTS_H

#include <stdio.h>

/* Returns the group of the tracepoint NAME, which the caller frees, or NULL if there is none. */
char *at_event_group(const char *name);

/* Opens the description of a tracepoint's record, which the caller closes, or returns NULL. */
FILE *at_event_format(const char *group, const char *name);

#endif
