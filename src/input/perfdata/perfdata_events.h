/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a perf.data file, and to which of them a record belongs. */
#ifndef INPUT_PERFDATA_PERFDATA_EVENTS_H
#define INPUT_PERFDATA_PERFDATA_EVENTS_H

#include "lib/bytes.h"
#include "lib/table.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct perfdata_event {
	struct perf_event_attr attr;
	char *name;      /* or NULL if the file does not tell */
	bool is_off_cpu; /* its samples are waits, see perfdata_off_cpu.h */
	uint32_t added;  /* its number in the recording + 1, or 0 before its first sample */
};

struct perfdata_events {
	struct perfdata_event *list;
	size_t nr, alloc;
	struct table by_id;    /* of a record -> index */
	struct table counters; /* id, thread -> index in counts */
	uint64_t *counts;
	size_t nr_counts, counts_alloc;
	bool has_output; /* one of them is of BPF programs, as waits are */
	bool build_ids;  /* one of them has asked for the build-ids of mapped files */
};

void perfdata_events_init(struct perfdata_events *es);
void perfdata_events_release(struct perfdata_events *es);

/*
 * Adds the event of the SIZE bytes of ATTR. Returns -1 with a message if records of different
 * events cannot be told apart.
 */
int perfdata_events_add(struct perfdata_events *es, const unsigned char *attr, size_t size,
	struct bytes *ids, struct strbuf *err);

/* Names the event with ID by the LEN bytes of NAME, which may end with NUL before. */
void perfdata_events_name(struct perfdata_events *es, uint64_t id, const char *name, size_t len);

/* Reads the section of the events' names. */
void perfdata_events_read_names(struct perfdata_events *es, struct bytes section);

/* Returns the event with ID, or the first one if there is no such event, or NULL without events. */
struct perfdata_event *perfdata_events_find(const struct perfdata_events *es, uint64_t id);

/*
 * Returns how much event E with ID has counted since the last call, if VALUE is what it has counted
 * in all. An event that processes inherit counts for each thread.
 */
uint64_t perfdata_events_count(struct perfdata_events *es, const struct perfdata_event *e,
	uint64_t id, uint32_t tid, uint64_t value);

/* Returns the event's name, or one that tells its numbers. Valid until the next call. */
const char *perfdata_event_name(const struct perfdata_event *e, struct strbuf *room);

#endif
