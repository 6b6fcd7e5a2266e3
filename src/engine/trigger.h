/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions that end a recording, so that it has what was before an incident. */
#ifndef ENGINE_TRIGGER_H
#define ENGINE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct trigger {
	enum { TRIGGER_NONE, TRIGGER_CPU_ABOVE, TRIGGER_CPU_BELOW, TRIGGER_FILE } kind;
	const char *text; /* as the user wrote it */
	const char *path;
	double percent; /* of one processor */
	/* The processes whose CPU time counts; without them, all of the machine. */
	const uint32_t *pids;
	size_t nr_pids;
	double cpu_s, at_s; /* CPU time and time of the last look, in seconds */
};

/* Parses "cpu>PCT", "cpu<PCT" or "file=PATH". Returns false if TEXT is none of them. */
bool trigger_parse(struct trigger *t, const char *text);

/*
 * Returns whether the condition holds at NOW_S (monotonic). Appends the reason as a line to NOTES.
 * CPU time is measured over a second.
 */
bool trigger_fires(struct trigger *t, double now_s, struct strbuf *notes);

#endif
