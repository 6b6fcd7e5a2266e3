/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of tracepoints as labels of their samples. Only those that somebody asks for become
 * labels: the others, such as addresses, would make a row of each sample.
 */
#ifndef INPUT_PERFDATA_PERFDATA_LABELS_H
#define INPUT_PERFDATA_PERFDATA_LABELS_H

#include "lib/strbuf.h"
#include "lib/table.h"
#include "perfdata_formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_filter;
struct perfdata_event;
struct perfdata_events;
struct perfdata_field;
struct perfdata_sample;
struct recording;

struct perfdata_labels {
	struct recording *rec;
	struct perfdata_formats formats;
	uint32_t *keys; /* in the recording's strings */
	size_t nr, alloc;
	struct table by_event;         /* config -> number in fields of its first field */
	struct perfdata_field *fields; /* NR of each event */
	size_t nr_fields, fields_alloc;
	struct strbuf value;
};

/* The keys are BY and the keys of FILTER. Both may be NULL. */
void perfdata_labels_init(struct perfdata_labels *ls, struct recording *rec, const char *by,
	const struct label_filter *filter);
void perfdata_labels_release(struct perfdata_labels *ls);

/* Returns the label set with the labels of SET and the fields of sample S, which is of event E. */
uint32_t perfdata_labels_add(struct perfdata_labels *ls, const struct perfdata_event *e,
	const struct perfdata_sample *s, uint32_t set);

/*
 * Lists the fields of the tracepoints in NOTES if a key is no label of any sample. LATE tells that
 * the formats came behind the samples.
 */
void perfdata_labels_note(struct perfdata_labels *ls, const struct perfdata_events *events,
	bool late, struct strbuf *notes);

#endif
