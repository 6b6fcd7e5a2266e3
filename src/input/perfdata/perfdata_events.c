/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_events.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perfdata_off_cpu.h"

#include <inttypes.h>
#include <stdlib.h>

void perfdata_events_init(struct perfdata_events *es)
{
	*es = (struct perfdata_events){0};
	table_init(&es->by_id);
	table_init(&es->counters);
}

void perfdata_events_release(struct perfdata_events *es)
{
	for (size_t i = 0; i < es->nr; i++)
		free(es->list[i].name);
	free(es->list);
	table_release(&es->by_id);
	table_release(&es->counters);
	free(es->counts);
}

/* Whether a record's time and identifier are at the same place in records of both events. */
static bool is_alike(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	const uint64_t placed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (a->sample_id_all != b->sample_id_all)
		return false;
	if (a->sample_type & b->sample_type & PERF_SAMPLE_IDENTIFIER)
		return !((a->sample_type ^ b->sample_type) & placed);
	return a->sample_type == b->sample_type;
}

int perfdata_events_add(struct perfdata_events *es, const unsigned char *attr, size_t size,
	struct bytes *ids, struct strbuf *err)
{
	struct perfdata_event e = {0};

	memcpy(&e.attr, attr, size < sizeof(e.attr) ? size : sizeof(e.attr));
	if (es->nr && !is_alike(&es->list[0].attr, &e.attr))
		return fail(err, "its events have different fields, and its records do not tell to "
				 "which event they belong\n");
	ALLOC_GROW(es->list, es->nr, es->alloc);
	es->list[es->nr++] = e;
	es->build_ids |= e.attr.build_id;
	es->has_output |= perfdata_off_cpu_may_be(&e.attr);
	while (ids->end - ids->at >= 8) {
		bool is_new;

		*table_put(&es->by_id, bytes_number(ids, 8), 0, &is_new) = (uint32_t)es->nr - 1;
	}
	return 0;
}

static void set_name(struct perfdata_event *e, const char *name, size_t len)
{
	free(e->name);
	e->name = xstrndup(name, strnlen(name, len));
	e->is_off_cpu = perfdata_off_cpu_may_be(&e->attr) && !strcmp(e->name, PERFDATA_OFF_CPU);
}

void perfdata_events_name(struct perfdata_events *es, uint64_t id, const char *name, size_t len)
{
	const uint32_t *at = table_get(&es->by_id, id, 0);

	if (at)
		set_name(&es->list[*at], name, len);
}

void perfdata_events_read_names(struct perfdata_events *es, struct bytes section)
{
	uint64_t nr = bytes_number(&section, 4), attr_size = bytes_number(&section, 4);

	for (uint64_t i = 0; i < nr && i < es->nr && !section.bad; i++) {
		bytes_take(&section, attr_size);

		uint64_t nr_ids = bytes_number(&section, 4), len = bytes_number(&section, 4);
		const unsigned char *name = bytes_take(&section, len);

		if (!name || nr_ids > (uint64_t)(section.end - section.at) / 8)
			return;
		bytes_take(&section, nr_ids * 8);
		set_name(&es->list[i], (const char *)name, len);
	}
}

struct perfdata_event *perfdata_events_find(const struct perfdata_events *es, uint64_t id)
{
	const uint32_t *at = es->nr > 1 ? table_get(&es->by_id, id, 0) : NULL;

	return es->nr ? &es->list[at ? *at : 0] : NULL;
}

uint64_t perfdata_events_count(struct perfdata_events *es, const struct perfdata_event *e,
	uint64_t id, uint32_t tid, uint64_t value)
{
	bool is_new;
	uint32_t *at = table_put(&es->counters, id, e->attr.inherit ? tid : 0, &is_new);

	if (is_new) {
		*at = (uint32_t)es->nr_counts;
		ALLOC_GROW(es->counts, es->nr_counts, es->counts_alloc);
		es->counts[es->nr_counts++] = 0;
	}
	uint64_t before = es->counts[*at];

	es->counts[*at] = value;
	return value - before;
}

/* The names of perf list, by attr.config. */
static const char *const hardware[] = {"cycles", "instructions", "cache-references", "cache-misses",
	"branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
	"stalled-cycles-backend", "ref-cycles"};
static const char *const software[] = {"cpu-clock", "task-clock", "page-faults", "context-switches",
	"cpu-migrations", "minor-faults", "major-faults", "alignment-faults", "emulation-faults",
	"dummy", "bpf-output", "cgroup-switches"};

const char *perfdata_event_name(const struct perfdata_event *e, struct strbuf *room)
{
	uint64_t config = e->attr.config;

	if (e->name && *e->name)
		return e->name;
	if (e->attr.type == PERF_TYPE_HARDWARE && config < ARRAY_LEN(hardware))
		return hardware[config];
	if (e->attr.type == PERF_TYPE_SOFTWARE && config < ARRAY_LEN(software))
		return software[config];
	strbuf_reset(room);
	strbuf_addf(room,
		e->attr.type == PERF_TYPE_TRACEPOINT ? "tracepoint %" PRIu64 : "event %" PRIu64,
		config);
	return room->buf;
}
