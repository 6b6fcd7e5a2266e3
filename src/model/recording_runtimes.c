/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interpreters in a recording whose functions it does not have. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "profile.h"
#include "recording.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the rows have of a runtime. */
struct interpreter {
	uint64_t weight; /* of the rows with code of its interpreter */
	uint32_t pid;    /* a process that has such rows */
	bool several;    /* there are others */
	bool named;      /* some of its own functions are there */
};

static enum runtime interpreter_of(const struct recording *rec, const struct rec_frame *f)
{
	if (f->place != AT_MAP)
		return RUNTIME_UNKNOWN;
	enum runtime runtime = runtime_of(file_name(recording_get(rec, rec->maps[f->map].path)));

	return runtime_interprets(runtime) ? runtime : RUNTIME_UNKNOWN;
}

/* Returns whether F is a function of the program that is interpreted, compiled or not. */
static bool is_named_code(const struct recording *rec, const struct rec_frame *f)
{
	if (frame_language(f->kind))
		return true;
	return f->place == AT_MAP && f->nr_names &&
	       recording_is_memory(recording_get(rec, rec->maps[f->map].path));
}

static void add_stack(const struct recording *rec, const struct rec_stack *stack,
	enum runtime *runtime, bool *is_named)
{
	for (uint32_t i = 0; i < stack->nr; i++) {
		const struct rec_frame *f = &rec->frames[rec->frame_refs[stack->first + i]];

		if (!*runtime)
			*runtime = interpreter_of(rec, f);
		*is_named |= is_named_code(rec, f);
	}
}

static void add_row(
	struct interpreter *list, const struct recording *rec, const struct rec_row *row)
{
	uint32_t pid = rec->tasks[row->task].pid;
	enum runtime runtime = RUNTIME_UNKNOWN;
	bool is_named = false;

	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++)
		add_stack(rec, &rec->stacks[row->stacks[i]], &runtime, &is_named);
	if (!runtime)
		return;
	struct interpreter *of = &list[runtime];

	of->several |= of->weight && of->pid != pid;
	of->pid = pid;
	of->named |= is_named;
	add_capped(&of->weight, row->sum);
}

void recording_add_interpreters(
	const struct recording *rec, const struct recording_view *view, struct strbuf *out)
{
	struct interpreter list[RUNTIMES] = {0};
	uint64_t all = 0;

	for (size_t i = 0; i < rec->nr_rows; i++) {
		if (!recording_shows(rec, view, &rec->rows[i]))
			continue;
		add_capped(&all, rec->rows[i].sum);
		add_row(list, rec, &rec->rows[i]);
	}
	for (int i = 0; i < RUNTIMES; i++) {
		const char *option = runtime_option((enum runtime)i);
		const char *remedy = runtime_names_remedy((enum runtime)i);

		if (!account_is_much(list[i].weight, all) || list[i].named)
			continue;
		strbuf_addf(out, "%.1f %% are in %s, whose own functions are not shown (",
			100 * (double)list[i].weight / (double)all, runtime_name((enum runtime)i));
		strbuf_addf(out, list[i].several ? "several processes)" : "process %" PRIu32 ")",
			list[i].pid);
		if (option)
			strbuf_addf(out, ": record with %s or --mixed\n", option);
		else
			strbuf_addf(out, "%s%s\n", remedy ? ": " : "", remedy ? remedy : "");
	}
}
