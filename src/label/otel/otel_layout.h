/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a thread has the context that an OpenTelemetry SDK has attached to it. Also included by the
 * BPF programs. Source: OTEP 4947, "Thread Context".
 */
#ifndef LABEL_OTEL_OTEL_LAYOUT_H
#define LABEL_OTEL_OTEL_LAYOUT_H

#include "runtime/pointer_path.h"

#include <stdint.h>

struct otel_layout {
	struct pointer_path
		record; /* to the thread's record, whose pointer is 0 if there is none */
};

enum otel_key {
	OTEL_TRACE,
	OTEL_SPAN,
	OTEL_ATTRIBUTES, /* all of them; their names come from the process */
	OTEL_INSTANCE,
	OTEL_KEYS,
};

enum {
	OTEL_NONE = 1,
	OTEL_VALID = 24,  /* offset in a record */
	OTEL_HEADER = 28, /* bytes before the attributes */
	OTEL_ATTRIBUTES_MAX = 612,
};

/* A record, without what is not recorded. Attributes that have no room are cut. */
struct otel_texts {
	uint8_t trace[16], span[8];
	uint8_t valid, flags;
	uint16_t size; /* of the attributes */
	uint8_t attributes[OTEL_ATTRIBUTES_MAX];
};

_Static_assert(sizeof(struct otel_texts) == OTEL_HEADER + OTEL_ATTRIBUTES_MAX, "");

/* The identity of a record is its content, as its memory is used for the next one. */
struct otel_identity {
	uint64_t hash;
};

#endif
