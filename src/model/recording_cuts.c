/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the stacks of a recording are not whole. */
#include "cuts.h"
#include "lib/table.h"
#include "lib/util.h"
#include "recording.h"

#include <stdlib.h>
#include <string.h>

struct cut_finder {
	const struct recording *rec;
	struct cuts *cuts;
	struct table runtimes; /* pid → enum runtime */
	struct cut *found;     /* for each stack, valid if known */
	bool *known;
	bool stap;
};

static enum runtime runtime_of_map(const struct recording *rec, const struct rec_map *map)
{
	return runtime_of(file_name(recording_get(rec, map->path)));
}

static enum runtime runtime_of_stack(const struct recording *rec, const struct rec_stack *stack)
{
	enum runtime runtime = RUNTIME_UNKNOWN;

	for (uint32_t i = 0; i < stack->nr && !runtime; i++) {
		const struct rec_frame *f = &rec->frames[rec->frame_refs[stack->first + i]];

		if (f->place == AT_MAP)
			runtime = runtime_of_map(rec, &rec->maps[f->map]);
	}
	return runtime;
}

/* Processes that were forked share the mappings of their files: their stacks tell these, too. */
static enum runtime runtime_of_stacks(const struct recording *rec, uint32_t pid)
{
	enum runtime runtime = RUNTIME_UNKNOWN;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];

		if (rec->tasks[row->task].pid != pid)
			continue;
		for (int k = 0; k < ROW_STACKS && row->stacks[k] != NO_STACK && !runtime; k++)
			runtime = runtime_of_stack(rec, &rec->stacks[row->stacks[k]]);
		if (runtime)
			break;
	}
	return runtime;
}

enum runtime recording_runtime(const struct recording *rec, uint32_t pid)
{
	enum runtime runtime = RUNTIME_UNKNOWN;

	for (size_t i = 0; i < rec->nr_maps && !runtime; i++)
		if (rec->maps[i].pid == pid)
			runtime = runtime_of_map(rec, &rec->maps[i]);
	if (!runtime)
		runtime = runtime_of_stacks(rec, pid);
	for (size_t i = 0; i < rec->nr_tasks && !runtime; i++)
		if (rec->tasks[i].pid == pid)
			runtime = runtime_of(recording_get(rec, rec->tasks[i].comm));
	return runtime;
}

static enum runtime runtime_of_process(struct cut_finder *f, uint32_t pid)
{
	bool is_new;
	uint32_t *at = table_put(&f->runtimes, pid, 0, &is_new);

	if (is_new)
		*at = recording_runtime(f->rec, pid);
	return (enum runtime)(*at);
}

/* Returns the mapping of the outermost frame that has one, or NULL. */
static const struct rec_map *outermost_map(
	const struct recording *rec, const struct rec_stack *stack)
{
	for (uint32_t i = stack->nr; i--;) {
		const struct rec_frame *f = &rec->frames[rec->frame_refs[stack->first + i]];

		if (f->place == AT_MAP)
			return &rec->maps[f->map];
		if (f->kind == FRAME_USER)
			break; /* the frame is in no mapping */
	}
	return NULL;
}

static bool is_generated(const struct recording *rec, const struct rec_map *map)
{
	return map && recording_is_memory(recording_get(rec, map->path)) &&
	       !*recording_get(rec, map->build_id);
}

/* Returns true if a note says that an interpreter's frames are missing. */
static bool is_inconsistent(const struct recording *rec, const struct rec_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct rec_frame *f = &rec->frames[rec->frame_refs[stack->first + i]];

		if (f->kind == FRAME_NOTE && f->nr_names &&
			ends_with(recording_get(rec, rec->names[f->names].function),
				": inconsistent]"))
			return true;
	}
	return false;
}

static enum cut_cause broken_by(const struct recording *rec, const struct rec_stack *stack)
{
	const char *by = recording_get(rec, stack->cut_by);

	if (is_inconsistent(rec, stack))
		return BROKEN_VM;
	if (!stack->nr)
		return BROKEN_EMPTY;
	return broken_cause_of(by);
}

static bool has_file(enum cut_cause cause)
{
	return cause <= CUT_LATE ||
	       (cause >= BROKEN_FAILED && cause != BROKEN_VM && cause != BROKEN_EMPTY);
}

/* Finds why STACK is cut or broken. PID is its process, for code in no known mapping. */
static struct cut find(struct cut_finder *f, const struct rec_stack *stack, uint32_t pid)
{
	const struct recording *rec = f->rec;
	const struct rec_map *map = outermost_map(rec, stack);
	const char *by = recording_get(rec, stack->cut_by);
	size_t len;
	struct cut cut = {.cause = cut_cause_of(by, &len)};
	bool in_file = stack->end == END_CUT && *by;

	if (stack->end == END_BROKEN)
		cut.cause = broken_by(rec, stack);
	if (cut.cause == CUT_RULES && (*by == '[' || is_generated(rec, map)) &&
		strcmp(by, "[vdso]")) {
		cut.cause = CUT_MEMORY;
		cut.generated = true;
		cut.runtime = runtime_of_process(f, map && map->pid ? map->pid : pid);
	}
	if (cut.cause >= BROKEN_FAILED && has_file(cut.cause) && is_generated(rec, map)) {
		cut.generated = true;
		cut.runtime = runtime_of_process(f, map->pid);
	}
	cut.stap = f->stap && (cut.cause == CUT_RULES || cut.cause == CUT_MEMORY);
	if (has_file(cut.cause) && !cut.generated)
		cut.file = in_file ? strpool_add(&f->cuts->names, by, len)
				   : cuts_file(f->cuts, map ? recording_get(rec, map->path) : "");
	return cut;
}

/* Returns the worst stack of the row, or NULL if all are whole. A row without stacks has none. */
static const struct rec_stack *worst_stack(const struct recording *rec, const struct rec_row *row)
{
	const struct rec_stack *worst = NULL;

	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *stack = &rec->stacks[row->stacks[i]];

		if (stack->end > (worst ? worst->end : END_ROOT))
			worst = stack;
	}
	return worst;
}

static void add_row(struct cut_finder *f, const struct rec_row *row)
{
	const struct recording *rec = f->rec;
	const struct rec_stack *stack = worst_stack(rec, row);
	struct cut cut = {.cause = BROKEN_EMPTY};

	if (stack) {
		size_t at = (size_t)(stack - rec->stacks);

		if (!f->known[at])
			f->found[at] = find(f, stack, rec->tasks[row->task].pid);
		f->known[at] = true;
		cut = f->found[at];
	} else if (row->stacks[0] != NO_STACK) {
		return;
	}
	cut.weight = row->sum;
	cuts_add(f->cuts, &cut);
}

void recording_cuts(
	const struct recording *rec, const struct recording_view *view, struct cuts *cuts)
{
	const char *engine = recording_meta(rec, "engine");
	struct cut_finder f = {
		.rec = rec,
		.cuts = cuts,
		.found = xcalloc(rec->nr_stacks, sizeof(*f.found)),
		.known = xcalloc(rec->nr_stacks, sizeof(*f.known)),
		.stap = engine && !strcmp(engine, "stap"),
	};

	table_init(&f.runtimes);
	for (size_t i = 0; i < rec->nr_rows; i++)
		if (recording_shows(rec, view, &rec->rows[i]))
			add_row(&f, &rec->rows[i]);
	table_release(&f.runtimes);
	free(f.found);
	free(f.known);
}
