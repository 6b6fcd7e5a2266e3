/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that the kernel and the processor count, by the names that perf and SystemTap use. */
#ifndef ENGINE_NAMED_EVENT_H
#define ENGINE_NAMED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;
struct strbuf;

struct named_event {
	uint32_t type; /* enum perf_type_id */
	uint64_t config;
	uint64_t count;          /* the usual number of events for each hit, or 0 for a rate */
	bool no_user, no_kernel; /* does not count in user, or kernel, mode */
	uint8_t precise;         /* as in struct perf_event_attr */
};

/*
 * Finds an event by its name in perf: cycles, page-faults, L1-dcache-load-misses, a raw code such
 * as r01a8; with modifiers as in cycles:u. Returns false if there is no such event.
 */
bool named_event_find(struct named_event *event, const char *name);

/* Finds an event by SystemTap's name, perf.hw.NAME, or perf.sw.NAME if it is not HARDWARE. */
bool named_event_find_in_stap(struct named_event *event, bool hardware, const char *name);

/*
 * Sets ATTR for a hit at each COUNT events or, if COUNT is 0, HZ times a second or, if that is 0,
 * too, as it is usual.
 */
void named_event_attr(
	const struct named_event *event, uint64_t count, unsigned hz, struct perf_event_attr *attr);

/* Appends perf's names of the events that can be opened here, separated by ", ". */
void named_event_list(struct strbuf *names);

#endif
