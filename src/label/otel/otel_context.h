/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the attributes that threads have, which a process publishes: OTEP 4719 and 4947. */
#ifndef LABEL_OTEL_OTEL_CONTEXT_H
#define LABEL_OTEL_OTEL_CONTEXT_H

#include <stdint.h>

struct memory;

enum { OTEL_NAMES_MAX = 256 };

struct otel_names {
	uint64_t published;         /* when the process published them */
	char *list[OTEL_NAMES_MAX]; /* by number, or NULL */
};

/*
 * Reads the names that the process with MEMORY publishes. Returns NULL if it publishes none, or is
 * just changing them. To be released with otel_names_free().
 */
struct otel_names *otel_names_read(const struct memory *memory);
void otel_names_free(struct otel_names *names);

/* Reads NAMES again if they have changed since. Names are added, but never change their numbers. */
void otel_names_update(struct otel_names *names, const struct memory *memory);

#endif
