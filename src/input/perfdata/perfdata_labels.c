/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_labels.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/labels.h"
#include "model/recording.h"
#include "model/recording_time.h"
#include "perfdata_events.h"
#include "perfdata_field.h"
#include "perfdata_sample.h"

#include <stdlib.h>

enum { EVENTS_SAID = 8 };

static void add_key(struct perfdata_labels *ls, const char *key)
{
	uint32_t string = recording_string(ls->rec, key);

	for (size_t i = 0; i < ls->nr; i++)
		if (ls->keys[i] == string)
			return;
	ALLOC_GROW(ls->keys, ls->nr, ls->alloc);
	ls->keys[ls->nr++] = string;
}

void perfdata_labels_init(struct perfdata_labels *ls, struct recording *rec, const char *by,
	const struct label_filter *filter)
{
	*ls = (struct perfdata_labels){.rec = rec, .value = STRBUF_INIT};
	perfdata_formats_init(&ls->formats);
	table_init(&ls->by_event);
	if (by)
		add_key(ls, by);
	for (size_t i = 0; filter && i < filter->nr; i++)
		add_key(ls, filter->choices[i].key);
}

void perfdata_labels_release(struct perfdata_labels *ls)
{
	for (size_t i = 0; i < ls->nr_fields; i++)
		perfdata_field_release(&ls->fields[i]);
	free(ls->fields);
	free(ls->keys);
	table_release(&ls->by_event);
	perfdata_formats_release(&ls->formats);
	strbuf_release(&ls->value);
}

/* Returns the fields of E, one for each key. */
static const struct perfdata_field *fields_of(
	struct perfdata_labels *ls, const struct perfdata_event *e)
{
	const char *format = perfdata_formats_find(&ls->formats, e->attr.config);
	bool is_new;
	uint32_t *first = table_put(&ls->by_event, e->attr.config, 0, &is_new);

	if (!is_new)
		return &ls->fields[*first];
	*first = (uint32_t)ls->nr_fields;
	for (size_t i = 0; i < ls->nr; i++) {
		const char *key = recording_get(ls->rec, ls->keys[i]);

		ALLOC_GROW(ls->fields, ls->nr_fields, ls->fields_alloc);
		ls->fields[ls->nr_fields++] = perfdata_field_find(format, key);
	}
	return &ls->fields[*first];
}

uint32_t perfdata_labels_add(struct perfdata_labels *ls, const struct perfdata_event *e,
	const struct perfdata_sample *s, uint32_t set)
{
	struct label labels[LABEL_SET_MAX];
	uint32_t pairs[LABEL_SET_MAX];
	size_t nr;

	if (!ls->nr || !s->raw || e->attr.type != PERF_TYPE_TRACEPOINT)
		return set;
	const struct perfdata_field *fields = fields_of(ls, e);

	nr = labels_get(&ls->rec->labels, set, pairs);
	for (size_t i = 0; i < nr; i++)
		labels[i] = ls->rec->labels.pairs[pairs[i]];
	for (size_t i = 0; i < ls->nr && nr < LABEL_SET_MAX; i++) {
		strbuf_reset(&ls->value);
		if (perfdata_field_value(&fields[i], s->raw, s->raw_size, &ls->value))
			labels[nr++] = (struct label){ls->keys[i],
				strpool_add(&ls->rec->strings, ls->value.buf, ls->value.len)};
	}
	return recording_labels(ls->rec, labels, nr);
}

/* Whether a sample has a label with the key, or needs none of that name. */
static bool is_known(const struct perfdata_labels *ls, uint32_t key)
{
	for (size_t i = 0; i < ls->rec->labels.nr_pairs; i++)
		if (ls->rec->labels.pairs[i].key == key)
			return true;
	return !strcmp(recording_get(ls->rec, key), RECORDING_SLICE);
}

static bool are_known(const struct perfdata_labels *ls)
{
	for (size_t i = 0; i < ls->nr; i++)
		if (!is_known(ls, ls->keys[i]))
			return false;
	return true;
}

static void note_event(
	const struct perfdata_labels *ls, const struct perfdata_event *e, struct strbuf *notes)
{
	const char *format = perfdata_formats_find(&ls->formats, e->attr.config), *name;
	struct strbuf room = STRBUF_INIT;

	name = perfdata_event_name(e, &room);
	message_add(notes, name, strlen(name));
	if (format) {
		strbuf_adds(notes, " has these fields for --by and --label: ");
		perfdata_field_names(format, notes);
	} else {
		strbuf_adds(notes, ": the formats of its fields are missing");
	}
	strbuf_addch(notes, '\n');
	strbuf_release(&room);
}

void perfdata_labels_note(struct perfdata_labels *ls, const struct perfdata_events *events,
	bool late, struct strbuf *notes)
{
	size_t said = 0;

	if (are_known(ls))
		return;
	for (size_t i = 0; i < events->nr && said < EVENTS_SAID; i++) {
		const struct perfdata_event *e = &events->list[i];

		if (e->attr.type != PERF_TYPE_TRACEPOINT ||
			!(e->attr.sample_type & PERF_SAMPLE_RAW))
			continue;
		note_event(ls, e, notes);
		said++;
	}
	if (said && late)
		strbuf_adds(notes, "the formats of these fields are behind the samples, which "
				   "were read first: give the file itself instead of a pipe\n");
}
