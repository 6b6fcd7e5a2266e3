/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process publishes: the names of the attributes that its threads have, and what it is
 * itself. Sources: OTEP 4719 and 4947.
 */
#ifndef LABEL_OTEL_OTEL_CONTEXT_H
#define LABEL_OTEL_OTEL_CONTEXT_H

#include <stdint.h>

struct memory;

enum { OTEL_NAMES_MAX = 256, OTEL_OWN = 3 };

/* The attributes of a process that are its labels: service.name and others. */
extern const char *const otel_own_keys[OTEL_OWN];

struct otel_names {
	uint64_t published;         /* when the process published them */
	char *list[OTEL_NAMES_MAX]; /* by number, or NULL */
	char *own[OTEL_OWN];        /* values of otel_own_keys, or NULL */
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
