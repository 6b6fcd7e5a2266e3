/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording.h"
#include "util.h"

#include <stdlib.h>
#include <string.h>

void recording_init(struct recording *rec)
{
	*rec = (struct recording){0};
	strpool_init(&rec->strings);
}

void recording_release(struct recording *rec)
{
	strpool_release(&rec->strings);
	free(rec->meta);
	free(rec->events);
	free(rec->tasks);
	free(rec->maps);
	free(rec->frames);
	free(rec->names);
	free(rec->frame_refs);
	free(rec->stacks);
	free(rec->rows);
	*rec = (struct recording){0};
}

uint32_t recording_string(struct recording *rec, const char *s)
{
	return s ? strpool_adds(&rec->strings, s) : 0;
}

const char *recording_get(const struct recording *rec, uint32_t string)
{
	return strpool_get(&rec->strings, string);
}

void recording_add_meta(struct recording *rec, const char *key, const char *value)
{
	ALLOC_GROW(rec->meta, rec->nr_meta, rec->meta_alloc);
	rec->meta[rec->nr_meta++] = (struct rec_meta){
		.key = recording_string(rec, key),
		.value = recording_string(rec, value),
	};
}

const char *recording_meta(const struct recording *rec, const char *key)
{
	for (size_t i = 0; i < rec->nr_meta; i++)
		if (!strcmp(recording_get(rec, rec->meta[i].key), key))
			return recording_get(rec, rec->meta[i].value);
	return NULL;
}

uint32_t recording_add_event(struct recording *rec, const char *name, const char *unit,
	const char *clock, uint64_t period)
{
	ALLOC_GROW(rec->events, rec->nr_events, rec->events_alloc);
	rec->events[rec->nr_events] = (struct rec_event){
		.name = recording_string(rec, name),
		.unit = recording_string(rec, unit),
		.clock = recording_string(rec, clock),
		.period = period,
	};
	return (uint32_t)rec->nr_events++;
}

uint32_t recording_add_task(struct recording *rec, const struct rec_task *task)
{
	ALLOC_GROW(rec->tasks, rec->nr_tasks, rec->tasks_alloc);
	rec->tasks[rec->nr_tasks] = *task;
	return (uint32_t)rec->nr_tasks++;
}

uint32_t recording_add_map(struct recording *rec, const struct rec_map *map)
{
	ALLOC_GROW(rec->maps, rec->nr_maps, rec->maps_alloc);
	rec->maps[rec->nr_maps] = *map;
	return (uint32_t)rec->nr_maps++;
}

uint32_t recording_add_frame(struct recording *rec, const struct rec_frame *frame)
{
	ALLOC_GROW(rec->frames, rec->nr_frames, rec->frames_alloc);
	rec->frames[rec->nr_frames] = *frame;
	return (uint32_t)rec->nr_frames++;
}

uint32_t recording_add_stack(struct recording *rec, enum stack_kind kind, enum stack_end end,
	uint32_t cut_by, const uint32_t *frames, size_t nr)
{
	ALLOC_GROW(rec->stacks, rec->nr_stacks, rec->stacks_alloc);
	rec->stacks[rec->nr_stacks] = (struct rec_stack){
		.kind = kind,
		.end = end,
		.cut_by = cut_by,
		.first = (uint32_t)rec->nr_refs,
		.nr = (uint32_t)nr,
	};
	for (size_t i = 0; i < nr; i++) {
		ALLOC_GROW(rec->frame_refs, rec->nr_refs, rec->refs_alloc);
		rec->frame_refs[rec->nr_refs++] = frames[i];
	}
	return (uint32_t)rec->nr_stacks++;
}

void recording_add_row(struct recording *rec, const struct rec_row *row)
{
	ALLOC_GROW(rec->rows, rec->nr_rows, rec->rows_alloc);
	rec->rows[rec->nr_rows++] = *row;
}

void recording_name_frame(
	struct recording *rec, uint32_t frame, const struct rec_name *names, size_t nr)
{
	rec->frames[frame].names = (uint32_t)rec->nr_names;
	rec->frames[frame].nr_names = (uint32_t)nr;
	for (size_t i = 0; i < nr; i++) {
		ALLOC_GROW(rec->names, rec->nr_names, rec->names_alloc);
		rec->names[rec->nr_names++] = names[i];
	}
}

static bool stack_named(const struct recording *rec, const struct rec_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++)
		if (!rec->frames[rec->frame_refs[stack->first + i]].nr_names)
			return false;
	return true;
}

/* The worst end of the row's stacks; a row without any stack is broken. */
static enum stack_end row_end(const struct recording *rec, const struct rec_row *row, bool *named)
{
	enum stack_end end = row->stacks[0] == NO_STACK ? END_BROKEN : END_ROOT;

	*named = row->stacks[0] != NO_STACK;
	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *stack = &rec->stacks[row->stacks[i]];

		if (stack->end > end)
			end = stack->end;
		*named = *named && stack_named(rec, stack);
	}
	return end;
}

void recording_account(const struct recording *rec, struct account *account)
{
	*account = (struct account){.known = true};
	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];
		bool named;
		enum stack_end end = row_end(rec, row, &named);

		account->kept += row->sum;
		*(end == END_ROOT        ? &account->whole
			: end == END_CUT ? &account->cut
					 : &account->broken) += row->sum;
		*(named ? &account->named : &account->unnamed) += row->sum;
	}
	memcpy(account->lost, rec->lost, sizeof(account->lost));
}
