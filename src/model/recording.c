/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording.h"
#include "amount.h"
#include "recording_time.h"
#include "task_filter.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

#define LANGUAGE_STACK(ID, ...) STACK_##ID,
const enum stack_kind stack_order[STACK_KINDS] = {
	STACK_USER, LANGUAGE_LIST(LANGUAGE_STACK) STACK_KERNEL, STACK_WAKER};
#undef LANGUAGE_STACK

const struct language *stack_language(enum stack_kind kind)
{
	unsigned i = (unsigned)kind - STACK_LANGUAGE;

	return i < NR_LANGUAGES ? &languages[i] : NULL;
}

enum stack_kind language_stack(const struct language *language)
{
	return (enum stack_kind)(STACK_LANGUAGE + (language - languages));
}

void recording_init(struct recording *rec)
{
	*rec = (struct recording){0};
	strpool_init(&rec->strings);
	labels_init(&rec->labels);
	series_init(&rec->series);
}

void recording_release(struct recording *rec)
{
	strpool_release(&rec->strings);
	free(rec->meta);
	free(rec->modules);
	free(rec->sources);
	free(rec->events);
	free(rec->tasks);
	free(rec->maps);
	free(rec->frames);
	free(rec->names);
	free(rec->frame_refs);
	free(rec->stacks);
	labels_release(&rec->labels);
	series_release(&rec->series);
	free(rec->rows);
	free(rec->branches);
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

void recording_set_meta(struct recording *rec, const char *key, const char *value)
{
	for (size_t i = 0; i < rec->nr_meta; i++)
		if (!strcmp(recording_get(rec, rec->meta[i].key), key)) {
			rec->meta[i].value = recording_string(rec, value);
			return;
		}
	recording_add_meta(rec, key, value);
}

uint32_t recording_add_source(struct recording *rec, uint32_t path, uint32_t blob)
{
	ALLOC_GROW(rec->sources, rec->nr_sources, rec->sources_alloc);
	rec->sources[rec->nr_sources] = (struct rec_source){.path = path, .blob = blob};
	return (uint32_t)rec->nr_sources++;
}

void recording_add_module(struct recording *rec, const struct rec_module *module)
{
	ALLOC_GROW(rec->modules, rec->nr_modules, rec->modules_alloc);
	rec->modules[rec->nr_modules++] = *module;
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

/* For each stack, the number of frames with and without names; notes are not counted. */
struct names {
	uint32_t named, unnamed;
};

static struct names *count_names(const struct recording *rec)
{
	struct names *names = xcalloc(rec->nr_stacks, sizeof(*names));

	for (size_t s = 0; s < rec->nr_stacks; s++)
		for (uint32_t i = 0; i < rec->stacks[s].nr; i++) {
			const struct rec_frame *f =
				&rec->frames[rec->frame_refs[rec->stacks[s].first + i]];

			if (f->kind != FRAME_NOTE)
				(*(f->nr_names ? &names[s].named : &names[s].unnamed))++;
		}
	return names;
}

/* Returns the worst end of the row's stacks. A row without stacks is broken. */
static enum stack_end row_end(const struct recording *rec, const struct rec_row *row)
{
	enum stack_end end = row->stacks[0] == NO_STACK ? END_BROKEN : END_ROOT;

	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++)
		if (rec->stacks[row->stacks[i]].end > end)
			end = rec->stacks[row->stacks[i]].end;
	return end;
}

static void add_row(const struct recording *rec, const struct rec_row *row,
	const struct names *names, struct account *account)
{
	uint64_t *const ends[END_KINDS] = {&account->whole, &account->cut, &account->broken};

	add_capped(&account->kept, row->sum);
	add_capped(ends[row_end(rec, row)], row->sum);
	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct names *n = &names[row->stacks[i]];

		add_product_capped(&account->named, n->named, row->sum);
		add_product_capped(&account->unnamed, n->unnamed, row->sum);
	}
}

uint32_t recording_viewed_event(const struct recording *rec, const struct recording_view *view)
{
	if (view->event >= 0)
		return (uint32_t)view->event;
	/* rows without stacks may be of an event that is only counted */
	return rec->nr_rows && rec->rows[0].stacks[0] != NO_STACK ? rec->rows[0].event : 0;
}

/* Returns whether no event before NUMBER has its unit. */
static bool is_first_in_unit(const struct recording *rec, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		if (rec->events[i].unit == rec->events[number].unit)
			return false;
	return true;
}

/*
 * Returns whether event I is the number of things whose time or bytes the event VIEWED is, such as
 * calls. Only the first event of a unit has such a number: the bytes that are still mapped at the
 * end are not the bytes of all calls.
 */
static bool is_number_of(const struct recording *rec, uint32_t i, uint32_t viewed)
{
	const struct rec_event *event = &rec->events[i], *of = &rec->events[viewed];
	const char *unit = recording_get(rec, event->unit);

	return viewed < rec->nr_events && is_first_in_unit(rec, viewed) && !of->period &&
	       event->clock == of->clock && amount_width(recording_get(rec, of->unit)) &&
	       !amount_width(unit) && !strcmp(unit, recording_get(rec, event->name));
}

bool *recording_counting_events(const struct recording *rec, const struct recording_view *view)
{
	bool is_by_slice = view->by && !strcmp(view->by, RECORDING_SLICE);
	uint32_t viewed = recording_viewed_event(rec, view);
	bool *counts = xcalloc(rec->nr_events, sizeof(*counts));

	for (uint32_t i = 0; i < rec->nr_events; i++)
		counts[i] = i != viewed;
	for (size_t i = 0; i < rec->nr_rows; i++)
		if (rec->rows[i].stacks[0] != NO_STACK)
			counts[rec->rows[i].event] &=
				!is_by_slice && is_number_of(rec, rec->rows[i].event, viewed);
	return counts;
}

bool recording_selects_task(
	const struct recording *rec, const struct recording_view *view, const struct rec_task *task)
{
	return !view->tasks ||
	       task_filter_matches(view->tasks,
		       &(struct task){task->pid, task->tid, recording_get(rec, task->comm),
			       strpool_len(&rec->strings, task->comm)});
}

bool recording_selects(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row)
{
	return recording_selects_task(rec, view, &rec->tasks[row->task]) &&
	       (!view->labels || label_filter_matches(
					 view->labels, &rec->labels, &rec->strings, row->labels));
}

/* Returns true if ROW is the wait of a thread that never ran. */
static bool is_asleep(const struct recording *rec, const struct rec_row *row)
{
	return labels_value(&rec->labels, &rec->strings, row->labels, RECORDING_RAN) != 0;
}

bool recording_shows(
	const struct recording *rec, const struct recording_view *view, const struct rec_row *row)
{
	return row->event == recording_viewed_event(rec, view) &&
	       recording_selects(rec, view, row) && !(view->awake && is_asleep(rec, row));
}

void recording_leave_out_asleep(const struct recording *rec, struct recording_view *view)
{
	bool any = false;

	view->awake = false;
	for (size_t i = 0; i < rec->nr_rows && !any && !view->asleep; i++)
		any = recording_shows(rec, view, &rec->rows[i]) && !is_asleep(rec, &rec->rows[i]);
	view->awake = any;
}

static bool has_note(const struct recording *rec, const struct rec_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++)
		if (rec->frames[rec->frame_refs[stack->first + i]].kind == FRAME_NOTE)
			return true;
	return false;
}

void recording_add_end(
	const struct recording *rec, const struct rec_stack *stack, struct strbuf *out)
{
	if (stack->end == END_CUT)
		strbuf_addf(out, "[truncated: %s]", file_name(recording_get(rec, stack->cut_by)));
	else if (stack->end == END_BROKEN && !has_note(rec, stack))
		strbuf_adds(out, "[broken]");
}

void recording_account(
	const struct recording *rec, const struct recording_view *view, struct account *account)
{
	uint32_t event = recording_viewed_event(rec, view);
	struct names *names = count_names(rec);

	*account = (struct account){.known = true};
	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];

		if (row->event != event)
			continue;
		if (recording_shows(rec, view, row)) {
			add_row(rec, row, names, account);
		} else if (recording_selects(rec, view, row)) {
			add_capped(&account->asleep, row->sum);
			add_capped(&account->nr_asleep, row->count);
		} else {
			add_capped(&account->left_out, row->sum);
		}
	}
	free(names);
	memcpy(account->lost, rec->lost, sizeof(account->lost));
}

uint64_t *recording_frame_weights(const struct recording *rec, const struct recording_view *view)
{
	uint64_t *stacks = xcalloc(rec->nr_stacks, sizeof(*stacks));
	uint64_t *frames = xcalloc(rec->nr_frames, sizeof(*frames));

	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];

		if (!recording_shows(rec, view, row))
			continue;
		for (int k = 0; k < ROW_STACKS && row->stacks[k] != NO_STACK; k++)
			add_capped(&stacks[row->stacks[k]], row->sum);
	}
	for (size_t s = 0; s < rec->nr_stacks; s++)
		for (uint32_t i = 0; i < rec->stacks[s].nr; i++)
			add_capped(&frames[rec->frame_refs[rec->stacks[s].first + i]], stacks[s]);
	free(stacks);
	return frames;
}

struct rec_module recording_find_module(const struct recording *rec, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(name, "[kernel]"))
		return (struct rec_module){
			.build_id = rec->kernel_build_id, .text = rec->kernel_text};
	for (size_t i = 0; i < rec->nr_modules; i++) {
		const char *other = recording_get(rec, rec->modules[i].name);

		if (strlen(other) + 2 == len && name[0] == '[' && name[len - 1] == ']' &&
			!memcmp(name + 1, other, len - 2))
			return rec->modules[i];
	}
	return (struct rec_module){0};
}

bool recording_is_memory(const char *path)
{
	static const char *const starts[] = {
		"/memfd:", "/dev/zero", "/SYSV", "//anon", "/anon_hugepage"};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(path, starts[i], strlen(starts[i])))
			return true;
	return path[0] != '/' && strcmp(path, "[vdso]") && strcmp(path, "[vsyscall]");
}

bool recording_is_dump(const char *path)
{
	const char *name = file_name(path), *digits = name + strlen("jit-");
	size_t nr = strncmp(name, "jit-", strlen("jit-")) ? 0 : strspn(digits, "0123456789");

	return nr && !strcmp(digits + nr, ".dump");
}

bool recording_has_several_processes(const struct recording *rec, const struct recording_view *view)
{
	const struct rec_task *first = NULL;

	for (size_t i = 0; i < rec->nr_tasks; i++) {
		const struct rec_task *task = &rec->tasks[i];

		if (!recording_selects_task(rec, view, task))
			continue;
		if (first && task->pid != first->pid)
			return true;
		first = first ? first : task;
	}
	return false;
}
