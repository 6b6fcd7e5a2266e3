/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the quality. quality_explain.c finds reasons and remedies, quality_write.c prints them.
 */
#include "quality.h"
#include "lib/strpool.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

struct report_builder {
	struct quality *q;
	struct strpool names; /* paths and build-ids */
	struct table modules; /* path and build-id, pid -> index in q->list */
};

static struct quality_module of_memory(uint32_t pid)
{
	return (struct quality_module){.path = "[anonymous memory]", .build_id = "", .pid = pid};
}

static struct quality_module of_map(const struct recording *rec, const struct rec_map *map)
{
	const char *path = recording_get(rec, map->path);
	const char *build_id = recording_get(rec, map->build_id);

	if (recording_is_memory(path) && !*build_id)
		return of_memory(map->pid);
	return (struct quality_module){.path = path, .build_id = build_id};
}

static struct quality_module of_kernel(const struct recording *rec, const char *path)
{
	if (*path != '[' || !path[1])
		path = "[kernel]";
	uint32_t build_id = recording_find_module(rec, path).build_id;

	return (struct quality_module){
		.path = path, .build_id = recording_get(rec, build_id), .kernel = true};
}

static struct quality_module module_of(const struct recording *rec, const struct rec_frame *f)
{
	const struct rec_name *name = f->nr_names ? &rec->names[f->names + f->nr_names - 1] : NULL;
	const char *path = recording_get(rec, name ? name->module : 0);
	const struct language *language = frame_language(f->kind);

	if (f->place == AT_MAP)
		return of_map(rec, &rec->maps[f->map]);
	if (language)
		return (struct quality_module){
			.path = language->module, .build_id = "", .interpreted = true};
	if (*path == '[' || f->kind == FRAME_KERNEL || (f->place == AT_ADDRESS && f->addr >> 63))
		return of_kernel(rec, path);
	return (struct quality_module){.path = *path ? path : "[unknown]", .build_id = ""};
}

/* Returns the index in q->list of the file M. If *IS_NEW is set, the index is not set yet. */
static uint32_t *index_of(struct report_builder *b, const struct quality_module *m, bool *is_new)
{
	uint64_t path = strpool_adds(&b->names, m->path);

	return table_put(
		&b->modules, path << 32 | strpool_adds(&b->names, m->build_id), m->pid, is_new);
}

static void add_frame(struct report_builder *b, const struct rec_frame *f, uint64_t weight)
{
	const struct recording *rec = b->q->rec;
	struct quality *q = b->q;
	struct quality_module module = module_of(rec, f), *m;
	bool is_new;
	uint32_t *at = index_of(b, &module, &is_new);

	if (is_new) {
		ALLOC_GROW(q->list, q->nr, q->alloc);
		*at = (uint32_t)q->nr;
		q->list[q->nr++] = module;
	}
	m = &q->list[*at];
	add_capped(&m->weight, weight);
	if (f->nr_names)
		add_capped(&m->named, weight);
	if (f->nr_names && rec->names[f->names].file && rec->names[f->names].line)
		add_capped(&m->lined, weight);
}

static void add_report(struct report_builder *b, const struct symbol_report *report)
{
	const struct recording *rec = b->q->rec;

	for (size_t i = 0; report && i < report->nr; i++) {
		const struct symbol_module *t = &report->list[i];
		struct quality_module m = of_memory(t->pid);
		bool is_new;

		if (!t->pid)
			m = (struct quality_module){
				.path = recording_get(rec, t->path),
				.build_id = recording_get(rec, t->build_id),
			};
		uint32_t *at = index_of(b, &m, &is_new);

		if (is_new)
			*at = UINT32_MAX; /* it is not in the view */
		else if (*at < b->q->nr)
			b->q->list[*at].tried = t;
	}
}

static int compare_modules(const void *a, const void *b)
{
	const struct quality_module *x = a, *y = b;
	int order = compare_u64(y->weight - y->named, x->weight - x->named);

	if (!order)
		order = compare_u64(y->lacks, x->lacks);
	if (!order)
		order = strcmp(x->path, y->path);
	if (!order)
		order = strcmp(x->build_id, y->build_id);
	return order ? order : compare_u64(x->pid, y->pid);
}

static void add_up(struct quality *q)
{
	for (size_t i = 0; i < q->nr; i++) {
		struct quality_module *m = &q->list[i];

		m->lacks = m->weight - (q->lines && !m->interpreted ? m->lined : m->named);
		add_capped(&q->weight, m->weight);
		add_capped(&q->named, m->named);
		add_capped(&q->lined, m->lined);
	}
	if (q->nr)
		qsort(q->list, q->nr, sizeof(*q->list), compare_modules);
}

void quality_init(struct quality *q, const struct recording *rec, const struct recording_view *view,
	const struct symbol_report *report, bool lines)
{
	uint32_t event = recording_viewed_event(rec, view);
	uint64_t *weights = recording_frame_weights(rec, view);
	struct report_builder b = {.q = q};

	*q = (struct quality){.rec = rec, .unit = "samples", .lines = lines, .notes = STRBUF_INIT};
	if (event < rec->nr_events) {
		q->unit = recording_get(rec, rec->events[event].unit);
		q->timing = recording_timing(rec, &rec->events[event]);
	}
	recording_account(rec, view, &q->account);
	cuts_init(&q->cuts);
	recording_cuts(rec, view, &q->cuts);
	strpool_init(&b.names);
	table_init(&b.modules);
	for (size_t i = 0; i < rec->nr_frames; i++)
		if (weights[i] && rec->frames[i].kind != FRAME_NOTE)
			add_frame(&b, &rec->frames[i], weights[i]);
	add_report(&b, report);
	add_up(q);
	strpool_release(&b.names);
	table_release(&b.modules);
	free(weights);
}

void quality_release(struct quality *q)
{
	for (size_t i = 0; i < q->nr; i++) {
		free(q->list[i].why);
		free(q->list[i].remedy);
	}
	free(q->list);
	strbuf_release(&q->notes);
	cuts_release(&q->cuts);
}
